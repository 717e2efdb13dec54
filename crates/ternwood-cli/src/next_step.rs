//! The next sensible command, made from the one that ran: the same table, the same options.

use crate::shell::{option, quoted};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The options of a run as they were given, by name; a flag has no values.
#[derive(Clone, Default)]
pub(crate) struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// What was given to a verb.
    pub(crate) fn new(matches: &ArgMatches) -> Self {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let values = |id: &str| -> Vec<String> {
            let values = matches.get_raw(id).into_iter().flatten();
            values.map(|value| value.to_string_lossy().into_owned()).collect()
        };
        let ids = matches.ids().map(clap::Id::as_str).filter(|id| is_given(id));
        Self(ids.map(|id| (id.to_owned(), values(id))).collect())
    }

    /// The command of another verb with these options, as far as it has them. It writes its own
    /// files, and replaces none.
    pub(crate) fn next(&self, verb: &Command) -> NextStep {
        let mut given = self.clone();
        for own in ["output", "force", "figure", "json", "quiet", "threads"] {
            given.0.remove(own);
        }
        NextStep { verb: verb.clone(), given }
    }
}

/// A command to copy.
pub(crate) struct NextStep {
    verb: Command,
    given: Given,
}

impl NextStep {
    /// The same without an option.
    pub(crate) fn without(mut self, option: &str) -> Self {
        self.given.0.remove(option);
        self
    }

    /// The same with this value of an option.
    pub(crate) fn with(mut self, option: &str, value: &impl ToString) -> Self {
        self.given.0.insert(option.to_owned(), vec![value.to_string()]);
        self
    }
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ternwood {}", self.verb.get_name())?;
        let (places, options): (Vec<_>, Vec<_>) =
            self.verb.get_arguments().partition(|arg| arg.is_positional());
        for arg in places.into_iter().chain(options) {
            let Some(values) = self.given.0.get(arg.get_id().as_str()) else { continue };
            match (arg.get_long(), arg.get_value_delimiter()) {
                (None, _) => write!(f, " {}", quoted(&values.concat()))?,
                (Some(name), _) if !arg.get_action().takes_values() => write!(f, " --{name}")?,
                (Some(name), Some(comma)) => {
                    let list = values.join(&comma.to_string());
                    write!(f, " {}", option(&format!("--{name}"), &list))?;
                }
                (Some(name), None) => {
                    for value in values {
                        write!(f, " {}", option(&format!("--{name}"), value))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A name for an output that does not exist yet: `model.json`, or `model-2.json`.
pub(crate) fn new_file(stem: &str, ending: &str) -> String {
    let names = (2..).map(|number| format!("{stem}-{number}.{ending}"));
    let mut names = std::iter::once(format!("{stem}.{ending}")).chain(names);
    names.find(|name| !Path::new(name).exists()).expect("some number is free")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    #[test]
    fn options_are_written_as_the_other_verb_has_them() {
        let fit = Command::new("fit").args([
            Arg::new("data"),
            Arg::new("drop").long("drop").action(ArgAction::Append),
            Arg::new("no_header").long("no-header").action(ArgAction::SetTrue),
            Arg::new("scale").long("scale").default_value("1"),
            Arg::new("output").long("output"),
            Arg::new("only_here").long("only-here"),
        ]);
        let line = ["fit", "--drop", "a b", "t.csv", "--drop=-c", "--no-header"];
        let more = ["--output", "m.json", "--only-here", "x"];
        let given = Given::new(&fit.get_matches_from([&line[..], &more[..]].concat()));
        let other = Command::new("evaluate").args([
            Arg::new("drop").long("drop"),
            Arg::new("no_header").long("no-header").action(ArgAction::SetTrue),
            Arg::new("scale").long("scale"),
            Arg::new("zones").long("zones").value_delimiter(','),
            Arg::new("output").long("output"),
            Arg::new("model"),
            Arg::new("data"),
        ]);
        let step = given.next(&other).with("model", &"it's.json").with("zones", &"margin");
        assert_eq!(
            step.to_string(),
            r"ternwood evaluate 'it'\''s.json' t.csv --drop 'a b' --drop=-c --no-header --zones margin"
        );
    }
}
