//! When killed, on a full disk, or in a read-only folder, a command leaves the old output or a
//! complete new one.

use crate::Here;
use std::process::Stdio;
use std::time::Instant;

const KILLS: u32 = 50;

/// Pseudo-random moments, the same in every run.
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f64 / f64::from(1_u32 << 24)
    }
}

/// Enough rows for a run to be interrupted.
fn tables(here: &Here) {
    let mut table = String::from("age,smoker,glucose,ill\n");
    let mut state = 1_u64;
    for _ in 0..60_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (age, glucose) = (20 + (state >> 40) % 60, (state >> 50) % 90);
        let ill = if age + glucose + (state >> 33) % 40 > 110 { "yes" } else { "no" };
        table += &format!("{age},never,{}.{},{ill}\n", 3 + glucose / 10, glucose % 10);
    }
    here.write("big.csv", &table);
    here.ok("fit big.csv --target ill --zone margin --max-depth 6 -q -o model.json");
}

/// Kills a command at random moments, with and without an old output. The output must be the old
/// one (or none), or all of the new one, and nothing else may be left.
fn survives(here: &Here, args: &str, output: &str, seed: u64) {
    let begun = Instant::now();
    here.ok(args);
    let uninterrupted = begun.elapsed();
    let complete = std::fs::read(here.path(output)).unwrap();
    let files = here.files();
    let mut random = Random(seed);
    let (mut untouched, mut finished) = (0, 0);
    for kill in 0..KILLS {
        let before = (kill % 2 == 0).then_some(&b"older"[..]);
        std::fs::remove_file(here.path(output)).unwrap();
        if let Some(before) = before {
            std::fs::write(here.path(output), before).unwrap();
        }
        let mut child =
            here.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(uninterrupted.mul_f64(1.1 * random.share()));
        child.kill().unwrap();
        child.wait().unwrap();
        if cfg!(target_os = "linux") {
            let others = here.files().into_iter().filter(|file| !files.contains(file));
            for other in others {
                // Only for the moment in which it takes the place of an older one, a complete output has
                // another name.
                assert!(before.is_some(), "kill {kill}: {other} is left");
                assert!(
                    std::fs::read(here.path(&other)).unwrap() == complete,
                    "kill {kill}: half of {other}"
                );
                std::fs::remove_file(here.path(&other)).unwrap();
            }
        }
        match std::fs::read(here.path(output)) {
            Ok(found) if found == complete => finished += 1,
            Ok(found) => {
                assert_eq!(Some(&*found), before, "kill {kill}: half a file");
                untouched += 1;
            }
            Err(_) => {
                assert!(before.is_none(), "kill {kill}: the older file is gone");
                untouched += 1;
                std::fs::write(here.path(output), "").unwrap();
            }
        }
    }
    assert_eq!(untouched + finished, KILLS);
    assert!(untouched > 0, "no kill came early enough to test anything");
}

#[test]
fn a_killed_fit_leaves_a_complete_model_or_the_old_one() {
    let here = Here::new();
    tables(&here);
    survives(&here, "fit big.csv --target ill --zone margin -q --force -o out.json", "out.json", 1);
}

#[test]
fn a_killed_fit_of_a_forest_leaves_a_complete_model_or_the_old_one() {
    let here = Here::new();
    tables(&here);
    let fit = "fit big.csv --target ill --forest 3 -q --force -o out.safetensors";
    survives(&here, fit, "out.safetensors", 3);
}

#[test]
fn a_killed_prediction_leaves_complete_output_or_the_old_one() {
    let here = Here::new();
    tables(&here);
    survives(&here, "predict model.json big.csv --explain -q --force -o out.csv", "out.csv", 2);
}

/// Runs a command with file sizes limited to this many blocks of 1024 bytes, to simulate a full
/// disk.
fn with_small_disk(here: &Here, blocks: u32, args: &str) -> (Option<i32>, String) {
    let command = env!("CARGO_BIN_EXE_ternwood");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{command}' {args}");
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(here.path(""))
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_full_disk_is_reported_and_leaves_no_file() {
    let here = Here::new();
    tables(&here);
    here.write("there.csv", "mine");
    let before = here.files();
    for (args, output) in [
        ("fit big.csv --target ill --zone margin --drop smoker -q -o out.json", "out.json"),
        ("predict model.json big.csv -q -o out.csv", "out.csv"),
        ("predict model.json big.csv -q -o there.csv --force", "there.csv"),
        #[cfg(feature = "parquet")]
        ("predict model.json big.csv -q --keep -o out.parquet", "out.parquet"),
        ("show model.json -o out.svg", "out.svg"),
        ("evaluate big.csv --model model.json -q --figure risk.svg", "risk.svg"),
    ] {
        let (code, complaint) = with_small_disk(&here, 4, args);
        assert_eq!(code, Some(1), "{args}: {complaint}");
        // There may be a warning before it.
        let complaint = complaint.lines().last().unwrap();
        assert!(complaint.starts_with(&format!("error: {output}: ")), "{complaint}");
        assert!(complaint.contains("File too large"), "{complaint}");
        assert_eq!(here.files(), before, "{args}");
        assert_eq!(here.read("there.csv"), "mine");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_reported() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    for args in ["show model.json", "predict model.json new.csv -q"] {
        let complaint = here.fails(1, &format!("{args} -o /dev/full"));
        assert!(complaint.starts_with("error: /dev/full: "), "{complaint}");
        assert!(complaint.contains("No space left on device"), "{complaint}");
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = here.command(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains("standard output: "), "{complaint}");
    }
}

#[test]
fn a_read_only_folder_is_reported() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    let before = here.files();
    // Not even root can create files there.
    let nowhere = if cfg!(target_os = "linux") { "/proc/" } else { "nowhere/" };
    for args in [
        "fit patients.csv --target ill --drop id -q -o",
        "predict model.json new.csv -o",
        "evaluate new.csv --model model.json -o",
        "export model.json -o",
        "show model.json --format svg -o",
        "evaluate new.csv --model model.json --figure",
    ] {
        let is_picture = ["figure", "svg -o"].iter().any(|end| args.ends_with(end));
        let out = if is_picture { "out.svg" } else { "out.csv" };
        let complaint = here.fails(1, &format!("{args} {nowhere}{out}"));
        let expected = format!("error: {nowhere}{out}: cannot write there: ");
        assert!(complaint.starts_with(&expected), "{args}: {complaint}");
    }
    let complaint = here.fails(1, "demo --out patients.csv/demo");
    assert!(complaint.starts_with("error: patients.csv/demo: "), "{complaint}");
    assert_eq!(here.files(), before);
}
