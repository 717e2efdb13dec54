//! The command line: verbs, common options, errors and exit codes.

use crate::next_step::Given;
use crate::output;
use crate::reading::option_for;
use crate::session::Session;
use crate::style;
use crate::verbs::{
    annotate, calibrate, check, completions, demo, evaluate, explain, export, fit, look, man, page,
    predict, show, verify,
};
use crate::warnings;
use clap::builder::UnknownArgumentValueParser;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::fmt;
use std::io::Write;
use std::process::ExitCode;

/// Decision trees that know where they are unsure
///
/// ternwood learns classification trees with an uncertainty zone around every split. A row within
/// a zone is answered by both sides together. Every row gets an answer; those whose answer is too
/// unsure are flagged as undecided, and the reason can be told in one sentence.
#[derive(Parser)]
#[command(
    name = "ternwood",
    version,
    propagate_version = true,
    max_term_width = 100,
    styles = style::HELP,
    after_help = "\
Examples:
  ternwood demo                                      see it, no data needed
  ternwood look train.csv --target ill               what is in the table?
  ternwood fit train.csv --target ill -o model.json  learn a tree
  ternwood evaluate train.csv --target ill --cv 5    how good is it?
  ternwood show model.json                           see it
  ternwood page model.json -o page.html              a page that answers
  ternwood predict model.json new.csv -o out.csv     class and verdict per row
  ternwood calibrate model.json held-out.csv --accuracy 0.95 -o sure.json
                                                     promise an accuracy
  ternwood check sure.json new.csv                   does it still hold?

Exit codes: 0 all is well; 1 something about files, data or models; 2 wrong
arguments; 3 `check --fail` found a change; 130 interrupted (Ctrl-C);
143 terminated."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    common: CommonArgs,
    #[command(subcommand)]
    verb: Verb,
}

/// Options that every verb has.
#[derive(clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct CommonArgs {
    /// Say nothing but results, warnings and errors; show no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Threads to use; 0 means one per core. No result depends on it
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(0..=4096))]
    pub(crate) threads: u16,
}

#[derive(Subcommand)]
enum Verb {
    Demo(demo::DemoArgs),
    Look(look::LookArgs),
    Fit(Box<fit::FitArgs>),
    Predict(predict::PredictArgs),
    Evaluate(Box<evaluate::EvaluateArgs>),
    Calibrate(calibrate::CalibrateArgs),
    Annotate(annotate::AnnotateArgs),
    Check(check::CheckArgs),
    Show(show::ShowArgs),
    Verify(verify::VerifyArgs),
    Page(page::PageArgs),
    Explain(explain::ExplainArgs),
    Export(export::ExportArgs),
    Completions(completions::CompletionsArgs),
    #[command(hide = true)]
    Man(man::ManArgs),
}

/// A usage error that the parser cannot see: arguments that conflict or that the library rejects.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A check that was made, and does not hold: exit code 3.
#[derive(Debug)]
pub(crate) struct Changed(pub(crate) String);

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Changed {}

/// Runs the command and returns its exit code.
pub(crate) fn main() -> ExitCode {
    output::remove_partial_files_on_signals();
    silence_caught_panics();
    let matches = command().try_get_matches().unwrap_or_else(|error| refuse_arguments(&error));
    let given = matches.subcommand().map(|(_, options)| Given::new(options)).unwrap_or_default();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let verb = cli.verb.name();
    match cli.run(given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => match error.downcast::<Usage>() {
            Ok(usage) => refuse(verb, &usage),
            Err(error) => {
                // Names from files may have line breaks.
                let message = style::one_line(&with_causes(&error));
                // If this cannot be written either, the exit code must do.
                let _ = writeln!(anstream::stderr(), "{}: {message}", style::error("error"));
                if error.is::<Changed>() { ExitCode::from(3) } else { ExitCode::FAILURE }
            }
        },
    }
}

/// Silences panics of the parquet crate on damaged files. The reader turns them into errors, which
/// are all that a user should see.
fn silence_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", |location| location.file());
        if !["/parquet-", "/arrow-"].iter().any(|name| file.contains(name)) {
            usual(panic);
        }
    }));
}

impl Cli {
    fn run(self, given: Given) -> anyhow::Result<()> {
        let session = Session::new(&self.common, given)?;
        match self.verb {
            Verb::Demo(args) => demo::run(&args, &session),
            Verb::Look(args) => look::run(&args, &session),
            Verb::Fit(args) => fit::run(&args, &session),
            Verb::Predict(args) => predict::run(&args, &session),
            Verb::Evaluate(args) => evaluate::run(&args, &session),
            Verb::Calibrate(args) => calibrate::run(&args, &session),
            Verb::Annotate(args) => annotate::run(&args, &session),
            Verb::Check(args) => check::run(&args, &session),
            Verb::Show(args) => show::run(&args, &session),
            Verb::Verify(args) => verify::run(&args),
            Verb::Page(args) => page::run(&args, &session),
            Verb::Explain(args) => explain::run(&args, &session),
            Verb::Export(args) => export::run(&args, &session),
            Verb::Completions(args) => completions::run(&args),
            Verb::Man(args) => man::run(&args),
        }
    }
}

impl Verb {
    fn name(&self) -> &'static str {
        match self {
            Self::Demo(_) => "demo",
            Self::Look(_) => "look",
            Self::Fit(_) => "fit",
            Self::Predict(_) => "predict",
            Self::Evaluate(_) => "evaluate",
            Self::Calibrate(_) => "calibrate",
            Self::Annotate(_) => "annotate",
            Self::Check(_) => "check",
            Self::Show(_) => "show",
            Self::Verify(_) => "verify",
            Self::Page(_) => "page",
            Self::Explain(_) => "explain",
            Self::Export(_) => "export",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }
}

/// Reports an error like the parser: the problem, the usage, exit code 2.
fn refuse(name: &str, usage: &Usage) -> ExitCode {
    let error = verb(name).error(ErrorKind::ValueValidation, usage);
    let _ = error.print();
    ExitCode::from(2)
}

/// Ends with an error of the parser, or with the help or version that was asked for. With `--json`, writes the error
/// as JSON too, like the errors that verbs find.
fn refuse_arguments(error: &clap::Error) -> ! {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let problem = text.lines().next().unwrap_or_default();
        let problem = problem.strip_prefix("error: ").unwrap_or(problem);
        let document = serde_json::json!({ "data": null, "error": problem });
        // If this cannot be written, the exit code must do.
        let _ = writeln!(std::io::stdout(), "{document:#}");
    }
    error.exit()
}

/// The whole command line.
fn command() -> clap::Command {
    // The word of the documentation for what needs no option: better a tip than a guess.
    let calibrated = || {
        let tip = "trees are calibrated unless you say --zone (or --zones)";
        clap::Arg::new("calibrated")
            .long("calibrated")
            .action(clap::ArgAction::SetTrue)
            .value_parser(UnknownArgumentValueParser::suggest(tip))
            .hide(true)
    };
    let with_tip = |verb: clap::Command| verb.arg(calibrated());
    Cli::command().mut_subcommand("fit", with_tip).mut_subcommand("evaluate", with_tip)
}

/// A verb with all its options.
pub(crate) fn verb(name: &str) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command.find_subcommand(name).expect("a verb of ours").clone()
}

/// An error in words, with the option that helps.
pub(crate) fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    match error.downcast_ref::<ternwood_table::Error>() {
        Some(error) => error.in_words(&warnings::named),
        None => error.to_string(),
    }
}

/// The error with its causes, each once: many messages already quote their cause.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let option = error.chain().find_map(option_for);
    let option = option.map_or_else(String::new, |option| format!(" with {option}"));
    error.chain().map(in_words).fold(String::new(), |text, cause| match &*text {
        "" => cause,
        text if text.contains(&cause) => text.to_owned(),
        text => format!("{text}: {cause}"),
    }) + &option
}

/// True if the reader of the output has closed the pipe: `ternwood ... | head`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
