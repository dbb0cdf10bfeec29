use crate::support::{confined, descriptors, supervisor};

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_at_once_all_end() {
    let supervisor = supervisor();
    let mut started = Vec::new();
    for number in 0..200 {
        let line = format!("echo {number}; sleep 0.2; exit {}", number % 100);
        started.push(supervisor.start(confined(&line)).await.unwrap());
    }
    for (number, child) in started.iter().enumerate() {
        assert_eq!(child.ended().await.exit_code, Some(i32::try_from(number % 100).unwrap()));
        assert_eq!(child.log().result(100).stdout, format!("{number}\n"));
    }
}

#[tokio::test]
async fn a_thousand_commands_leak_no_descriptors_and_no_memory() {
    let supervisor = supervisor();
    let run = async |count: usize| {
        for _ in 0..count {
            let child = supervisor.start(confined("echo x")).await.unwrap();
            assert_eq!(child.ended().await.exit_code, Some(0));
        }
    };
    run(50).await;
    let pid = supervisor.pid().unwrap();
    let before = (descriptors(pid), descriptors(std::process::id()), resident(pid));
    run(1_000).await;
    assert_eq!(descriptors(pid), before.0);
    // Other tests of this process come and go; a thousand leaks would show.
    assert!(descriptors(std::process::id()) < before.1 + 200);
    assert!(resident(pid) < before.2 + 2_000, "{} kB, then {} kB", before.2, resident(pid));
}

/// Memory of a process, in kilobytes.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}
