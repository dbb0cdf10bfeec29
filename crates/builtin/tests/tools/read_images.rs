//! `read_file` of pictures.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dogu_tool::{Content, Output};
use image::{GenericImageView as _, ImageFormat};
use serde_json::json;

use crate::fixtures::picture;
use crate::support::Folder;

fn read(name: &str, content: &[u8]) -> Output {
    let folder = Folder::new();
    folder.write(name, content);
    folder.run("read_file", json!({"path": name})).unwrap()
}

/// The words, the bytes of the picture and its type.
fn shown(output: &Output) -> (&str, Vec<u8>, &str) {
    let [Content::Text { text }, Content::Image { data, mime_type }] = &output.content[..] else {
        panic!("{output:?}")
    };
    (text, STANDARD.decode(data).unwrap(), mime_type)
}

fn refused(content: &[u8]) -> String {
    let folder = Folder::new();
    folder.write("p", content);
    folder.error("read_file", json!({"path": "p"}))
}

#[test]
fn f1_a_small_picture_comes_as_it_is_whatever_its_name() {
    for (format, mime, kind) in [
        (ImageFormat::Png, "image/png", "PNG"),
        (ImageFormat::Jpeg, "image/jpeg", "JPEG"),
        (ImageFormat::Gif, "image/gif", "GIF"),
        (ImageFormat::WebP, "image/webp", "WebP"),
    ] {
        let bytes = picture(40, 30, format);
        let output = read("named.txt", &bytes);
        let (text, data, found) = shown(&output);
        assert_eq!(text, format!("({kind} image, 40x30, {})", size(bytes.len())));
        assert_eq!((found, data == bytes), (mime, true), "{kind}");
    }
}

fn size(bytes: usize) -> String {
    let tenths = bytes * 10 / 1024;
    if bytes < 1024 {
        format!("{bytes} bytes")
    } else {
        format!("{}.{} KB", tenths / 10, tenths % 10)
    }
}

#[test]
fn a_picture_that_models_do_not_take_is_made_one_that_they_take() {
    for format in [ImageFormat::Bmp, ImageFormat::Ico] {
        let output = read("p", &picture(40, 30, format));
        let (text, data, mime) = shown(&output);
        assert!(text.ends_with("shown as png, 40x30)"), "{text}");
        assert_eq!(mime, "image/png");
        assert_eq!(image::load_from_memory(&data).unwrap().dimensions(), (40, 30));
    }
}

#[test]
fn f1_a_large_picture_is_scaled_down() {
    let output = read("p.png", &picture(4_000, 1_000, ImageFormat::Png));
    let (text, data, mime) = shown(&output);
    assert!(text.starts_with("(PNG image, 4000x1000, ") && text.contains("1568x392)"), "{text}");
    assert!(data.len() <= 3 << 20, "{}", data.len());
    let found = image::guess_format(&data).unwrap();
    assert_eq!(found.to_mime_type(), mime);
    assert_eq!(image::load_from_memory(&data).unwrap().dimensions(), (1_568, 392));
}

#[test]
fn a_photograph_is_turned_as_its_camera_was() {
    let jpeg = picture(40, 30, ImageFormat::Jpeg);
    // A segment that says: turn it by 90 degrees.
    let exif =
        b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&jpeg[..2], exif, &jpeg[2..]].concat();
    let output = read("p.jpg", &turned);
    let (text, data, _) = shown(&output);
    assert!(text.contains("(JPEG image, 40x30, ") && text.contains("30x40)"), "{text}");
    assert_eq!(image::load_from_memory(&data).unwrap().dimensions(), (30, 40));
}

#[test]
fn a_picture_that_claims_to_be_huge_is_refused_before_it_is_unpacked() {
    let mut png = picture(4, 4, ImageFormat::Png);
    // The header's width and height, and its sum.
    png[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    let error = refused(&png);
    assert!(error.starts_with("p (PNG image, ") && error.contains("cannot be shown: "), "{error}");
    let mut bmp = picture(4, 4, ImageFormat::Bmp);
    bmp[18..26].copy_from_slice(&[0, 0, 1, 0, 0, 0, 1, 0]);
    let error = refused(&bmp);
    assert!(
        error.contains("65536x65536 pixels take more than 128.0 MB")
            || error.contains("cannot be shown"),
        "{error}"
    );
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn a_broken_picture_is_told() {
    let png = picture(40, 30, ImageFormat::Png);
    let error = refused(&png[..60]);
    assert!(error.starts_with("p (PNG image, 60 bytes) cannot be shown: "), "{error}");
    for format in [ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp] {
        let bytes = picture(40, 30, format);
        let error = refused(&bytes[..20]);
        assert!(error.contains("cannot be shown"), "{format:?}: {error}");
    }
}

#[test]
fn words_that_begin_as_a_picture_does_are_words() {
    for words in ["BMW is a maker of cars\n", "GIF89a is a format\n", "RIFF and WEBP\n"] {
        let folder = Folder::with([("f", words)]);
        assert_eq!(folder.text("read_file", json!({"path": "f"})), format!("     1\t{words}"));
    }
}

#[test]
fn f2_pictures_of_several_files_stand_behind_their_words() {
    let folder = Folder::with([("a.txt", "words\n")]);
    folder.write("p.png", picture(4, 4, ImageFormat::Png));
    let files = json!([{"path": "p.png"}, {"path": "a.txt"}, {"path": "p.png"}]);
    let output = folder.run("read_file", json!({"files": files})).unwrap();
    let kinds: Vec<&str> = (output.content.iter())
        .map(|content| match content {
            Content::Text { text } => text.lines().next().unwrap(),
            Content::Image { mime_type, .. } => mime_type,
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["<file path=\"p.png\">", "image/png", "<file path=\"a.txt\">"]);
}

#[test]
fn the_picture_that_is_given_can_be_decoded() {
    let noise: Vec<u8> = (0..2_000_u32 * 1_000 * 3)
        .map(|n| u8::try_from(n.wrapping_mul(2_654_435_761) >> 24).unwrap())
        .collect();
    let noise = image::RgbImage::from_raw(2_000, 1_000, noise).unwrap();
    let mut bytes = Vec::new();
    noise.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    let output = read("noise.png", &bytes);
    let (_, data, mime) = shown(&output);
    assert_eq!(mime, "image/jpeg");
    assert!(data.len() < 3 << 20, "{}", data.len());
    assert_eq!(image::load_from_memory(&data).unwrap().dimensions(), (1_568, 784));
}
