//! A small HTTP server on a free port of this machine, which is gone after the test. Tests of
//! several crates use it.

#![allow(dead_code, reason = "it has more than each of its users needs")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// What came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

/// What is answered: all that goes over the wire.
pub(crate) type Answering = dyn Fn(&Received) -> Vec<u8> + Send + Sync;

pub(crate) struct Server {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Received) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let ended = Arc::<AtomicBool>::default();
        let (all, end, answer) =
            (Arc::clone(&received), Arc::clone(&ended), Arc::new(answer) as Arc<Answering>);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::Acquire) {
                    break;
                }
                let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
                // It ends with its connection; what never answers ends with the client.
                std::thread::spawn(move || serve(stream, &all, &*answer));
            }
        });
        Self { port, received, ended, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The texts that came, of all requests.
    pub(crate) fn texts(&self) -> Vec<String> {
        let inputs = self.received().into_iter().map(|request| request.body["input"].clone());
        let texts = inputs.flat_map(|input| input.as_array().unwrap().clone());
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn forget(&self) {
        self.received.lock().unwrap().clear();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn serve(stream: TcpStream, received: &Mutex<Vec<Received>>, answer: &Answering) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = next(&mut reader) {
        received.lock().unwrap().push(request.clone());
        let bytes = answer(&request);
        if bytes.is_empty() {
            // Silence: until the client has enough.
            let _ = reader.read(&mut [0; 1]);
            return;
        }
        let is_last = bytes.windows(17).take(200).any(|part| part == b"connection: close");
        if reader.get_mut().write_all(&bytes).is_err() || is_last {
            return;
        }
    }
}

fn next(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, authorization, body: serde_json::from_slice(&body).ok()? })
}

/// A whole answer with this status and text.
pub(crate) fn reply(status: &str, text: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// Vectors for all texts of a request.
pub(crate) fn embedded(request: &Received, vector: impl Fn(&str) -> Vec<f32>) -> Vec<u8> {
    let texts = request.body["input"].as_array().unwrap();
    let one = |(index, text): (usize, &Value)| {
        let embedding = vector(text.as_str().unwrap());
        serde_json::json!({"object": "embedding", "index": index, "embedding": embedding})
    };
    let data: Vec<Value> = texts.iter().enumerate().map(one).collect();
    reply("200 OK", &serde_json::json!({"object": "list", "data": data}).to_string())
}
