//! Names of classes and categories, counts, and lists.

use crate::dataset::{ClassName, Feature, Schema, one_line};

/// The most characters of a list of names, and of one name.
const LIST: usize = 60;
const NAME: usize = 40;

/// A class in a sentence: "ill", or "class 1".
#[must_use]
pub fn class_in_words(schema: &Schema, class: u32) -> String {
    class_words(&name_of(schema, class))
}

/// The same, by the name of the class.
pub(super) fn class_words(name: &str) -> String {
    match shown_name(name) {
        (name, true) => name,
        (name, false) => format!("class {name}"),
    }
}

/// What a share of a class is a share of, to be put after a percentage: "ill", or "of class 1".
pub(super) fn share_of_class(schema: &Schema, class: u32) -> String {
    match shown_name(&name_of(schema, class)) {
        (class, true) => class,
        (class, false) => format!("of class {class}"),
    }
}

/// The name of a class on one line, cut short.
#[must_use]
pub fn class_name(class: &ClassName) -> String {
    clipped(&one_line(&class.to_string()))
}

/// The names of all classes on one line, cut short.
pub(super) fn class_names(classes: &[ClassName]) -> Vec<String> {
    classes.iter().map(class_name).collect()
}

fn name_of(schema: &Schema, class: u32) -> String {
    schema.classes().get(class as usize).map(ToString::to_string).unwrap_or_default()
}

/// The name of a class, and true if it reads as a word.
fn shown_name(name: &str) -> (String, bool) {
    let is_word = name.starts_with(char::is_alphabetic);
    (clipped(&one_line(name)), is_word)
}

/// The name of a category, cut short; its number if it has none.
pub(super) fn category_name(feature: &Feature, category: u32) -> String {
    clipped(&whole_name(feature, category))
}

fn whole_name(feature: &Feature, category: u32) -> String {
    match feature.kind.names().get(category as usize) {
        Some(name) => one_line(name).into_owned(),
        None => category.to_string(),
    }
}

/// Puts the names of some categories into one list.
pub(crate) type ListCategories = fn(&Feature, &[u32]) -> String;

/// The names of categories, as many as fit: "clerk, nurse and 12 more".
pub(crate) fn listed(feature: &Feature, categories: &[u32]) -> String {
    let mut list = String::new();
    for (index, &category) in categories.iter().enumerate() {
        let name = in_list(category_name(feature, category));
        let left = categories.len() - index;
        if index > 0 && list.chars().count() + name.chars().count() > LIST {
            return format!("{list} and {left} more");
        }
        if index > 0 {
            list.push_str(", ");
        }
        list.push_str(&name);
    }
    list
}

/// The names of all categories, none of them cut short.
pub(crate) fn all_listed(feature: &Feature, categories: &[u32]) -> String {
    let names = categories.iter().map(|&category| in_list(whole_name(feature, category)));
    names.collect::<Vec<_>>().join(", ")
}

/// Quoted if it could be taken for something else than one name.
fn in_list(name: String) -> String {
    let plain =
        !name.is_empty() && name.trim() == name && !name.contains([',', '{', '}', '\'', ':']);
    if plain { name } else { format!("'{name}'") }
}

/// A name of at most 40 characters: longer ones are cut short.
#[must_use]
pub fn clipped(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let start: String = name.chars().take(NAME - 1).collect();
    format!("{}…", start.trim_end())
}

/// "1 row", "3 rows".
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// "a, b and c", with another word than "and" if wanted.
pub(super) fn joined<T: AsRef<str>>(items: &[T], and: &str) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match &items[..] {
        [first @ .., last] if !first.is_empty() => format!("{} {and} {last}", first.join(", ")),
        _ => items.concat(),
    }
}
