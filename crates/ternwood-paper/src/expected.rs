//! The data sets of the paper's collections, so that a summary can list the missing ones.

use crate::collection::{Collection, CollectionName};

/// The data sets of a collection that a folder does not list, by OpenML id and name.
#[must_use]
pub fn not_listed(collection: &Collection, name: CollectionName) -> Vec<(u32, &'static str)> {
    let expected = expected(name).iter().copied();
    expected.filter(|&(openml_id, _)| collection.entry(openml_id).is_none()).collect()
}

/// The data sets of one of the paper's collections, by OpenML id and name.
#[must_use]
pub fn expected(name: CollectionName) -> &'static [(u32, &'static str)] {
    match name {
        CollectionName::Cc18 => &CC18,
        CollectionName::Breiman => &BREIMAN,
        CollectionName::Medical => &MEDICAL,
    }
}

const BREIMAN: [(u32, &str); 3] = [(60, "waveform-5000"), (1496, "ringnorm"), (1507, "twonorm")];

const MEDICAL: [(u32, &str); 4] =
    [(31, "credit-g"), (37, "diabetes"), (53, "heart-statlog"), (310, "mammography")];

/// OpenML's suite 99 without CIFAR_10 (40927), which the paper omits.
const CC18: [(u32, &str); 71] = [
    (3, "kr-vs-kp"),
    (6, "letter"),
    (11, "balance-scale"),
    (12, "mfeat-factors"),
    (14, "mfeat-fourier"),
    (15, "breast-w"),
    (16, "mfeat-karhunen"),
    (18, "mfeat-morphological"),
    (22, "mfeat-zernike"),
    (23, "cmc"),
    (28, "optdigits"),
    (29, "credit-approval"),
    (31, "credit-g"),
    (32, "pendigits"),
    (37, "diabetes"),
    (38, "sick"),
    (44, "spambase"),
    (46, "splice"),
    (50, "tic-tac-toe"),
    (54, "vehicle"),
    (151, "electricity"),
    (182, "satimage"),
    (188, "eucalyptus"),
    (300, "isolet"),
    (307, "vowel"),
    (458, "analcatdata_authorship"),
    (469, "analcatdata_dmft"),
    (554, "mnist_784"),
    (1049, "pc4"),
    (1050, "pc3"),
    (1053, "jm1"),
    (1063, "kc2"),
    (1067, "kc1"),
    (1068, "pc1"),
    (1461, "bank-marketing"),
    (1462, "banknote-authentication"),
    (1464, "blood-transfusion-service-center"),
    (1468, "cnae-9"),
    (1475, "first-order-theorem-proving"),
    (1478, "har"),
    (1480, "ilpd"),
    (1485, "madelon"),
    (1486, "nomao"),
    (1487, "ozone-level-8hr"),
    (1489, "phoneme"),
    (1494, "qsar-biodeg"),
    (1497, "wall-robot-navigation"),
    (1501, "semeion"),
    (1510, "wdbc"),
    (1590, "adult"),
    (4134, "Bioresponse"),
    (4534, "PhishingWebsites"),
    (4538, "GesturePhaseSegmentationProcessed"),
    (6332, "cylinder-bands"),
    (23381, "dresses-sales"),
    (23517, "numerai28.6"),
    (40499, "texture"),
    (40668, "connect-4"),
    (40670, "dna"),
    (40701, "churn"),
    (40923, "Devnagari-Script"),
    (40966, "MiceProtein"),
    (40975, "car"),
    (40978, "Internet-Advertisements"),
    (40979, "mfeat-pixel"),
    (40982, "steel-plates-fault"),
    (40983, "wilt"),
    (40984, "segment"),
    (40994, "climate-model-simulation-crashes"),
    (40996, "Fashion-MNIST"),
    (41027, "jungle_chess_2pcs_raw_endgame_complete"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_listed_once() {
        for name in CollectionName::ALL {
            assert!(expected(name).is_sorted_by(|a, b| a.0 < b.0), "{name:?}");
        }
    }
}
