//! Pictures: as they are where they are small enough, scaled down otherwise.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dogu_tool::{Content, ToolError};
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

use super::binary::size_text;
use super::document::Whole;
use super::encoding::{SAMPLE_BYTES, detect};
use super::file::{Reading, Seeing, View};

/// The longest side that models look at; what is longer they scale down themselves.
const MAX_SIDE: u32 = 1_568;
/// How many bytes a picture may have, before base64.
const MAX_BYTES: usize = 3 * 1024 * 1024;
/// How many bytes a decoded picture may take.
const MAX_DECODED_BYTES: u64 = 128 * 1024 * 1024;
/// How good a JPEG is, of 100.
const JPEG_QUALITY: u8 = 85;

/// Formats that are shown: how they are called, and their type where models take them as they are.
const FORMATS: [(ImageFormat, &str, Option<&str>); 6] = [
    (ImageFormat::Png, "PNG", Some("image/png")),
    (ImageFormat::Jpeg, "JPEG", Some("image/jpeg")),
    (ImageFormat::Gif, "GIF", Some("image/gif")),
    (ImageFormat::WebP, "WebP", Some("image/webp")),
    (ImageFormat::Bmp, "BMP", None),
    (ImageFormat::Ico, "icon", None),
];

/// A picture by its first bytes. Those of some formats are words too: what is text is none.
pub(super) fn is_image(sample: &[u8]) -> bool {
    match format(sample) {
        Some((ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP, ..)) => true,
        Some(_) => detect(sample, sample.len() < SAMPLE_BYTES).is_none(),
        None => false,
    }
}

fn format(sample: &[u8]) -> Option<(ImageFormat, &'static str, Option<&'static str>)> {
    let guess = image::guess_format(sample).ok()?;
    FORMATS.into_iter().find(|(format, ..)| *format == guess)
}

/// Shows a picture.
pub(super) fn view(reading: &Reading<'_>, whole: &Whole) -> Result<Seeing, ToolError> {
    let shown = reading.shown();
    let Some((format, name, mime)) = format(&whole.bytes) else {
        return Err(ToolError::failed(format!("{shown} changed while it was read; read it again")));
    };
    let size = size_text(whole.bytes.len() as u64);
    let failed = |problem: String| {
        ToolError::failed(format!("{shown} ({name} image, {size}) cannot be shown: {problem}"))
    };
    let picture = decode(&whole.bytes, format).map_err(failed)?;
    let (width, height) = (picture.image.width(), picture.image.height());
    let fits = width.max(height) <= MAX_SIDE && whole.bytes.len() <= MAX_BYTES;
    let upright = picture.orientation == Orientation::NoTransforms;
    let about = format!("{name} image, {width}x{height}, {size}");
    let as_it_is = mime.filter(|_| fits && upright);
    let (text, data, mime) = if let Some(mime) = as_it_is {
        (format!("({about})"), STANDARD.encode(&whole.bytes), mime)
    } else {
        let made = remade(picture).map_err(failed)?;
        let (width, height, mime) = (made.width, made.height, made.mime);
        let kind = mime.trim_start_matches("image/");
        (format!("({about}; shown as {kind}, {width}x{height})"), made.data, mime)
    };
    let image = Some(Content::Image { data, mime_type: mime.to_owned() });
    Ok(Seeing { view: View { text, image }, hash: Some(whole.hash) })
}

struct Picture {
    image: DynamicImage,
    orientation: Orientation,
}

/// Decodes within bounds that are checked before anything is allocated.
fn decode(bytes: &[u8], format: ImageFormat) -> Result<Picture, String> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err("it has no pixels".to_owned());
    }
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        let most = size_text(MAX_DECODED_BYTES);
        return Err(format!("{width}x{height} pixels take more than {most}"));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(|error| error.to_string())?;
    Ok(Picture { image, orientation })
}

struct Made {
    data: String,
    mime: &'static str,
    width: u32,
    height: u32,
}

/// Scaled down, upright, and in a format that models take.
fn remade(picture: Picture) -> Result<Made, String> {
    let Picture { image, orientation } = picture;
    let mut image = if image.width().max(image.height()) > MAX_SIDE {
        // Averages whole pixels, without a copy of all in wider numbers.
        image.thumbnail(MAX_SIDE, MAX_SIDE)
    } else {
        image
    };
    image.apply_orientation(orientation);
    let image = eight_bits(image);
    let (width, height) = (image.width(), image.height());
    let (bytes, mime) = encoded(&image)?;
    Ok(Made { data: STANDARD.encode(bytes), mime, width, height })
}

/// Without loss where that is small enough.
fn encoded(image: &DynamicImage) -> Result<(Vec<u8>, &'static str), String> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(|e| e.to_string())?;
    // A JPEG has no transparency.
    let most = if image.color().has_alpha() { MAX_BYTES } else { MAX_BYTES / 3 };
    if bytes.len() <= most {
        return Ok((bytes, "image/png"));
    }
    let mut lossy = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut lossy, JPEG_QUALITY);
    image.to_rgb8().write_with_encoder(encoder).map_err(|error| error.to_string())?;
    if lossy.len() < bytes.len() { Ok((lossy, "image/jpeg")) } else { Ok((bytes, "image/png")) }
}

/// Eight bits a channel, which is what every encoder takes.
fn eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => image,
        other if other.color().has_alpha() => DynamicImage::ImageRgba8(other.to_rgba8()),
        other => DynamicImage::ImageRgb8(other.to_rgb8()),
    }
}
