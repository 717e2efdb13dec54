//! Losses: the gradients of rows, and how far scores are from the truth.

/// What scores are to minimise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Loss {
    /// Two classes: one output, the log-odds of the second.
    Logistic,
    /// More classes: one output per class.
    Softmax(usize),
}

impl Loss {
    pub(super) fn of_classes(n_classes: usize) -> Self {
        if n_classes <= 2 { Self::Logistic } else { Self::Softmax(n_classes) }
    }

    pub(super) fn n_outputs(self) -> usize {
        match self {
            Self::Logistic => 1,
            Self::Softmax(n) => n,
        }
    }

    /// The factor of leaf values.
    pub(super) fn step(self) -> f64 {
        match self {
            Self::Logistic => 1.0,
            Self::Softmax(n) => (n - 1) as f64 / n as f64,
        }
    }

    /// The largest absolute gradient and the largest Hessian of a row of weight 1.
    pub(super) fn largest(self) -> [f64; 2] {
        [1.0, 0.25]
    }

    /// Scores before the first round, from the weights of the classes.
    pub(super) fn start(self, class_weights: &[f64]) -> Vec<f64> {
        let total: f64 = class_weights.iter().sum();
        // A class without weight in one fold must not get the score minus infinity.
        let share = |weight: f64| (weight / total).clamp(1e-6, 1.0 - 1e-6);
        match self {
            Self::Logistic => {
                let p = share(class_weights.get(1).copied().unwrap_or(0.0));
                vec![(p / (1.0 - p)).ln()]
            }
            Self::Softmax(_) => class_weights.iter().map(|&weight| share(weight).ln()).collect(),
        }
    }

    /// Calls `f` with the output, the negative gradient and the Hessian.
    #[inline]
    pub(super) fn gradients(self, class: u32, scores: &[f64], mut f: impl FnMut(usize, f64, f64)) {
        match self {
            Self::Logistic => {
                let p = 1.0 / (1.0 + (-scores[0]).exp());
                f(0, f64::from(class) - p, p * (1.0 - p));
            }
            Self::Softmax(n) => {
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
                for (k, score) in scores.iter().enumerate().take(n) {
                    let p = (score - largest).exp() / total;
                    f(k, f64::from(u8::from(class as usize == k)) - p, p * (1.0 - p));
                }
            }
        }
    }

    /// The loss of a row.
    #[inline]
    pub(super) fn of_row(self, class: u32, scores: &[f64]) -> f64 {
        match self {
            Self::Logistic => {
                let margin = if class == 1 { scores[0] } else { -scores[0] };
                // ln(1 + e^-m), which must not overflow.
                if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin }
            }
            Self::Softmax(_) => {
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
                total.ln() - (scores[class as usize] - largest)
            }
        }
    }

    /// Writes the probability of every class.
    pub(super) fn probabilities(self, scores: &[f64], out: &mut [f64]) {
        match self {
            Self::Logistic => {
                let p = 1.0 / (1.0 + (-scores[0]).exp());
                if let [not, is] = out {
                    (*not, *is) = (1.0 - p, p);
                }
            }
            Self::Softmax(_) => {
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                out.iter_mut().zip(scores).for_each(|(p, score)| *p = (score - largest).exp());
                let total: f64 = out.iter().sum();
                out.iter_mut().for_each(|p| *p /= total);
            }
        }
    }
}
