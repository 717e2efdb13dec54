//! Folders for transcripts: copies, so that commands cannot change the data of the repository.

use std::fs;
use std::path::Path;

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let there = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &there);
        } else {
            fs::copy(&path, there).unwrap();
        }
    }
}
