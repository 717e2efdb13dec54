//! Progress bars: only on terminals, after a second, without `--quiet`.

use crate::Here;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

/// A command whose standard error is a terminal and whose standard input we control.
struct OnTerminal {
    child: Child,
    terminal: File,
}

impl OnTerminal {
    fn new(here: &Here, args: &str) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        let screen = File::options().write(true).open(name).unwrap();
        let child = here
            .command(args)
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(screen)
            .spawn()
            .unwrap();
        Self { child, terminal: File::from(terminal) }
    }

    /// The output from now until `text` appears in it.
    fn wait_for(&mut self, text: &str) -> String {
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let mut ready = [PollFd::new(&self.terminal, PollFlags::IN)];
            let patience = Timespec { tv_sec: 60, tv_nsec: 0 };
            let n = match poll(&mut ready, Some(&patience)).unwrap() {
                0 => 0,
                _ => self.terminal.read(&mut buffer).unwrap_or(0),
            };
            assert!(n > 0, "ended without '{text}': {}", String::from_utf8_lossy(&shown));
            shown.extend_from_slice(&buffer[..n]);
            let so_far = String::from_utf8_lossy(&shown);
            if so_far.contains(text) {
                return so_far.into_owned();
            }
        }
    }

    /// Sends the table and returns the output until the end.
    fn finish(mut self, table: &str) -> String {
        self.child.stdin.take().unwrap().write_all(table.as_bytes()).unwrap();
        assert!(self.child.wait().unwrap().success());
        let mut shown = Vec::new();
        // Reading a terminal whose writers are gone ends with an error.
        let _ = self.terminal.read_to_end(&mut shown);
        String::from_utf8(shown).unwrap()
    }
}

const FIT: &str = "fit - --target ill --drop id --max-depth 2 -o model.json --force";

#[test]
fn progress_is_shown_after_a_second() {
    let here = Here::new();
    let table = here.read("patients.csv");
    for (args, what) in [
        (FIT, "reading standard input ("),
        ("evaluate - --model model.json", "reading standard input ("),
        ("predict model.json - -o answers.csv", "predicting standard input ("),
        ("explain model.json - --row 3", "reading standard input ("),
    ] {
        let mut command = OnTerminal::new(&here, args);
        // The spinner keeps turning although nothing happens.
        command.wait_for(what);
        command.wait_for(what);
        let rest = command.finish(&table);
        let cleared = rest.rfind("\u{1b}[2K").or_else(|| rest.rfind("\r"));
        let after = &rest[cleared.unwrap_or(0)..];
        assert!(!after.contains(what), "it stays on the screen: {rest:?}");
    }
}

#[test]
fn no_progress_with_quiet_or_in_files() {
    let here = Here::new();
    let table = here.read("patients.csv");
    let quiet = OnTerminal::new(&here, &format!("{FIT} --quiet"));
    let mut piped = here.command(FIT);
    let mut piped = piped.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(quiet.finish(&table), "");
    piped.stdin.take().unwrap().write_all(table.as_bytes()).unwrap();
    let piped = piped.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(piped.stderr).unwrap(), "next: ternwood show model.json\n");
}

#[test]
fn short_runs_show_no_progress() {
    let here = Here::new();
    let table = here.read("patients.csv");
    assert!(!OnTerminal::new(&here, FIT).finish(&table).contains("reading"));
}
