//! A sample divided into partitions, and a fit that asks them.

use super::numbers::Numbers;
use super::sample::Sample;
use ternwood::partitions::{Answer, Coordinator, Limits, Partition, Question};
use ternwood::{Columns, Exec, Model, Recipe, Result};

/// The rows of each of `n_partitions`, dealt at random; some may have none.
pub fn dealt(sample: &Sample, n_partitions: usize, numbers: &mut Numbers) -> Vec<Sample> {
    let mut rows = vec![Vec::new(); n_partitions];
    // The first partitions get the fewest rows.
    let place = |numbers: &mut Numbers| (numbers.unit().sqrt() * n_partitions as f64) as usize;
    for row in numbers.order(sample.rows.len()) {
        rows[place(numbers)].push(row);
    }
    rows.iter().map(|rows| sample.rearranged(rows)).collect()
}

pub fn partition(part: &Sample, whole: &Sample) -> Partition {
    let columns = Columns::from_rows(&part.rows.concat(), whole.n_features()).unwrap();
    let (classes, weights) = (part.classes.clone(), part.weights.clone());
    Partition::new(columns, classes, weights, whole.schema(), &Exec::default()).unwrap()
}

/// Answers merged in random order and grouping.
pub fn merged(mut answers: Vec<Answer>, numbers: &mut Numbers) -> Answer {
    while answers.len() > 1 {
        let one = answers.swap_remove(numbers.below(answers.len()));
        let other = answers.swap_remove(numbers.below(answers.len()));
        answers.push(one.merged(other).unwrap());
    }
    answers.pop().unwrap()
}

/// Fits a recipe to parts of a sample. Everything travels as bytes; at random moments partitions are lost
/// and made again, and the coordinator is saved and loaded. Also returns the topics of all questions.
pub fn fit(
    parts: &[Sample],
    whole: &Sample,
    recipe: &Recipe,
    limits: Limits,
    numbers: &mut Numbers,
    exec: &Exec,
) -> Result<(Model, Vec<&'static str>)> {
    let mut partitions: Vec<Partition> = parts.iter().map(|part| partition(part, whole)).collect();
    let mut coordinator = Coordinator::new(recipe.clone(), whole.schema(), limits)?;
    let mut topics = Vec::new();
    while let Some(question) = coordinator.next_question() {
        let question = Question::from_bytes(&question.to_bytes())?;
        topics.push(question.topic());
        let mut answers = Vec::new();
        for (partition, part) in partitions.iter_mut().zip(parts) {
            if numbers.below(8) == 0 {
                *partition = self::partition(part, whole);
            }
            let answer = partition.answer(&question, exec)?;
            answers.push(Answer::from_bytes(&answer.to_bytes())?);
        }
        coordinator.take(merged(answers, numbers), exec)?;
        if numbers.below(12) == 0
            && let Ok(saved) = coordinator.save()
        {
            coordinator = Coordinator::load(&saved, exec)?;
        }
        assert!(topics.len() < 100_000, "it asks for ever");
    }
    Ok((coordinator.into_model()?, topics))
}
