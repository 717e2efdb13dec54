//! `ternwood man`: the manual pages, for packagers and `make man`.

use crate::cli::Cli;
use crate::output::Output;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::PathBuf;

/// Write the manual pages into a folder
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder; it is made if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace pages that exist
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &ManArgs) -> Result<()> {
    std::fs::create_dir_all(&args.folder).with_context(|| args.folder.display().to_string())?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let verbs: Vec<clap::Command> =
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().collect();
    write_page(args, command)?;
    for verb in verbs {
        write_page(args, verb)?;
    }
    Ok(())
}

fn write_page(args: &ManArgs, command: clap::Command) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let path = args.folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Output::file(&path, args.force)?.complete(page)
}
