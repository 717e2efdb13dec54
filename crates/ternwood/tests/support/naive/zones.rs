//! Half-widths straight from their definitions.

use super::{Naive, NaiveCut, NaiveSplit};
use ternwood::ZoneKind;
use ternwood::recipe::{Criterion, GainKind};

/// Another threshold of the split's feature, with missing values on the split's side.
struct Candidate {
    threshold: f64,
    gain: f64,
}

impl Naive<'_> {
    /// Sets the half-width of a threshold, or the number of standard errors of categories.
    pub(super) fn give_zone(&self, rows: &[usize], split: &mut NaiveSplit) {
        let half_width = self.half_width(rows, split);
        match &mut split.cut {
            NaiveCut::Threshold { half_width: of_split, .. } => *of_split = half_width,
            NaiveCut::Categories { error, .. } if self.params.zone.kind != ZoneKind::None => {
                *error = self.params.zone.category_error;
            }
            NaiveCut::Categories { .. } | NaiveCut::Present => {}
        }
    }

    /// Estimated, clamped, scaled. Estimators see the rows that have a value.
    fn half_width(&self, rows: &[usize], split: &NaiveSplit) -> f64 {
        let NaiveCut::Threshold { threshold, .. } = split.cut else { return 0.0 };
        let present = self.present(rows, split.feature);
        let values = self.values(&present, split.feature);
        let range = values[values.len() - 1] - values[0];
        let zone = &self.params.zone;
        let estimate = match &zone.kind {
            ZoneKind::None => 0.0,
            ZoneKind::Specified { half_widths } => {
                return half_widths[split.feature] * zone.scale;
            }
            &ZoneKind::QualityPlateau { tolerance, connected } => {
                self.plateau(rows, split, threshold, tolerance, connected)
            }
            &ZoneKind::ClassOverlap { tail } => self.class_overlap(&present, split.feature, tail),
            &ZoneKind::GainRatio { scale, gain } => {
                let criterion = match gain {
                    GainKind::Criterion => self.params.criterion,
                    GainKind::Information => Criterion::Entropy,
                };
                let (left, right) = self.cut(rows, split);
                let gain = self.gain_by(criterion, rows, &left, &right);
                // Of the same rows: a ratio of two numbers of one split.
                let both: Vec<usize> = left.iter().chain(&right).copied().collect();
                let share = |side: &[usize]| self.weight(side) / self.weight(&both);
                let bits = |p: f64| if p > 0.0 { p * p.log2() } else { 0.0 };
                let entropy = -(bits(share(&left)) + bits(share(&right)));
                let widest = scale * range;
                if entropy > 0.0 { widest / (1.0 + gain / entropy) } else { widest }
            }
            ZoneKind::Margin => self.margin(&present, split, threshold),
            ZoneKind::Spread => unreachable!("its last bit depends on how sums are made"),
            ZoneKind::CostOptimal { .. } => unreachable!("growing does not know its errors"),
            ZoneKind::NodeBootstrap { .. } => unreachable!("the random estimator has no oracle"),
        };
        estimate.min(zone.max_fraction * range) * zone.scale
    }

    fn plateau(
        &self,
        rows: &[usize],
        split: &NaiveSplit,
        threshold: f64,
        tolerance: f64,
        connected: bool,
    ) -> f64 {
        let mut candidates = Vec::new();
        for other in self.candidates(rows, split.feature) {
            if let NaiveCut::Threshold { threshold, .. } = other.cut
                && other.missing == split.missing
            {
                candidates.push(Candidate { threshold, gain: other.gain });
            }
        }
        let nothing_gains = split.gain == 0.0;
        let good = |c: &Candidate| nothing_gains || c.gain >= (1.0 - tolerance) * split.gain;
        let (mut low, mut high) = (threshold, threshold);
        if connected {
            let around = candidates.iter().position(|c| c.threshold == threshold).unwrap();
            let (mut first, mut last) = (around, around);
            while first > 0 && good(&candidates[first - 1]) {
                first -= 1;
            }
            while last + 1 < candidates.len() && good(&candidates[last + 1]) {
                last += 1;
            }
            (low, high) = (candidates[first].threshold, candidates[last].threshold);
        } else {
            for candidate in candidates.iter().filter(|c| good(c)) {
                low = low.min(candidate.threshold);
                high = high.max(candidate.threshold);
            }
        }
        (high - low) / 2.0
    }

    fn class_overlap(&self, rows: &[usize], feature: usize, tail: f64) -> f64 {
        let mut bulks = Vec::new();
        for class in 0..self.sample.n_classes {
            let of_class: Vec<usize> =
                rows.iter().copied().filter(|&row| self.sample.classes[row] == class).collect();
            if !of_class.is_empty() {
                let values = self.values(&of_class, feature);
                bulks.push((quantile(&values, tail), quantile(&values, 1.0 - tail)));
            }
        }
        let mut longest = 0.0f64;
        for (i, a) in bulks.iter().enumerate() {
            for b in &bulks[i + 1..] {
                longest = longest.max((a.1.min(b.1) - a.0.max(b.0)) / 2.0);
            }
        }
        longest
    }

    fn margin(&self, rows: &[usize], split: &NaiveSplit, threshold: f64) -> f64 {
        let (left, right) = self.cut(rows, split);
        let (left_class, right_class) = (self.dominant(&left), self.dominant(&right));
        let distance = |row: &usize| {
            let x = self.sample.rows[*row][split.feature];
            if x > threshold { x - threshold } else { threshold - x }
        };
        let class = |row: &usize| self.sample.classes[*row] as usize;
        let mut strays = f64::INFINITY;
        if left_class != right_class {
            for row in right.iter().filter(|row| class(row) == left_class) {
                strays = strays.min(distance(row));
            }
            for row in left.iter().filter(|row| class(row) == right_class) {
                strays = strays.min(distance(row));
            }
        }
        if strays.is_finite() {
            return strays;
        }
        rows.iter().map(distance).fold(f64::INFINITY, f64::min)
    }

    fn dominant(&self, rows: &[usize]) -> usize {
        let weights = self.class_weights(rows);
        let mut best = 0;
        for class in 1..weights.len() {
            if weights[class] > weights[best] {
                best = class;
            }
        }
        best
    }
}

/// Position `q (n - 1)`, interpolated from the nearer end.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let h = q * (sorted.len() - 1) as f64;
    let t = h - h.floor();
    let a = sorted[h.floor() as usize];
    let b = if t > 0.0 { sorted[h.floor() as usize + 1] } else { a };
    if t < 0.5 { a + (b - a) * t } else { b - (b - a) * (1.0 - t) }
}
