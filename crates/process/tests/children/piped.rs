use std::fs::File;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use crate::support::{free, gone, supervisor, until, written};

/// Reads what is there until it ends with `end`.
fn read_until(output: &mut File, end: &[u8]) -> Vec<u8> {
    let mut read = Vec::new();
    let mut chunk = [0; 4096];
    while !read.ends_with(end) {
        match output.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => read.extend_from_slice(&chunk[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => panic!("{error}"),
        }
    }
    read
}

#[tokio::test]
async fn a_program_is_spoken_with_and_its_errors_are_logged() {
    let line = "echo trouble >&2; while read x; do printf '<%s>' \"$x\"; done; exit 3";
    let (child, pipes) = supervisor().start_piped(free(line)).await.unwrap();
    let (mut input, mut output) = (File::from(pipes.input), File::from(pipes.output));
    input.write_all(b"one\n\xff\n").unwrap();
    assert_eq!(read_until(&mut output, b"<\xff>"), b"<one><\xff>");
    until(|| written(&child).contains("trouble")).await;
    drop(input);
    assert_eq!(child.ended().await.exit_code, Some(3));
    assert_eq!(written(&child), "trouble\n", "what it says to us is not logged");
    assert_eq!(read_until(&mut output, b"end"), b"", "and after its end there is nothing more");
}

#[tokio::test]
async fn nothing_of_a_stopped_program_is_left() {
    let line = "(setsid sleep 77.3 &); sleep 77.3 & trap '' TERM; echo up; sleep 77.3; sleep 77.3";
    let (child, pipes) = supervisor().start_piped(free(line)).await.unwrap();
    read_until(&mut File::from(pipes.output), b"up\n");
    child.stop(Duration::from_millis(50));
    child.ended().await;
    assert_eq!(gone("sleep 77.3").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let mut launch = free("true");
    launch.words = vec!["/no/such/program".into()];
    let error = supervisor().start_piped(launch).await.unwrap_err();
    assert!(error.to_string().contains("could not"), "{error}");
}
