//! `ternwood completions`: shell completion scripts.

use crate::cli::Cli;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print a script that lets your shell complete ternwood's options
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  source <(ternwood completions bash)
  ternwood completions fish > ~/.config/fish/completions/ternwood.fish
  ternwood completions zsh > ~/.zfunc/_ternwood")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ternwood", &mut script);
    let mut out = std::io::stdout().lock();
    out.write_all(&script)?;
    Ok(out.flush()?)
}
