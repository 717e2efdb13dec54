//! The verbs of the command, one per file.

pub(crate) mod annotate;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod look;
pub(crate) mod man;
pub(crate) mod page;
pub(crate) mod predict;
pub(crate) mod show;
pub(crate) mod verify;
