//! The few messages of ONNX's protocol-buffer format that a model needs, written by hand: a field
//! is a number, a kind and bytes.

/// The bytes of a message.
#[derive(Debug, Clone, Default)]
pub(super) struct Message(Vec<u8>);

/// What an ONNX tensor holds, with the numbers of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementType {
    Int64 = 7,
    String = 8,
    Bool = 9,
    Double = 11,
}

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A whole number. Negative ones have ten bytes, as the format wants it.
    pub(super) fn number(mut self, field: u64, number: i64) -> Self {
        self.varint(field << 3);
        self.varint(number as u64);
        self
    }

    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// Several messages in the same field, already written as fields.
    pub(super) fn fields(mut self, fields: &Self) -> Self {
        self.0.extend_from_slice(&fields.0);
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A `TensorProto`.
pub(super) fn tensor(name: &str, kind: ElementType, dims: &[usize], data: &Data<'_>) -> Message {
    let mut tensor = Message::default();
    for dim in dims {
        tensor = tensor.number(1, *dim as i64);
    }
    tensor = tensor.number(2, kind as i64);
    tensor = match data {
        Data::Raw(bytes) => tensor.bytes(9, bytes),
        Data::Texts(texts) => texts.iter().fold(tensor, |tensor, text| tensor.text(6, text)),
    };
    tensor.text(8, name)
}

/// The elements of a tensor.
pub(super) enum Data<'a> {
    /// In little-endian order.
    Raw(Vec<u8>),
    Texts(&'a [String]),
}

impl Data<'_> {
    /// Numbers in double precision.
    pub(super) fn of(numbers: &[f64]) -> Self {
        Self::Raw(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }
}

/// A `ValueInfoProto` of a tensor of any shape.
pub(super) fn any_shape(name: &str, kind: ElementType) -> Message {
    let tensor = Message::default().number(1, kind as i64);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

/// A `ValueInfoProto` of a single number.
pub(super) fn scalar(name: &str, kind: ElementType) -> Message {
    let tensor = Message::default().number(1, kind as i64).message(2, &Message::default());
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

/// A `ValueInfoProto` of a tensor with any number of rows and these columns, if it has any.
pub(super) fn value_info(name: &str, kind: ElementType, columns: Option<usize>) -> Message {
    let rows = Message::default().text(2, "rows");
    let mut shape = Message::default().message(1, &rows);
    if let Some(columns) = columns {
        shape = shape.message(1, &Message::default().number(1, columns as i64));
    }
    let tensor = Message::default().number(1, kind as i64).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

/// An attribute of a node.
#[derive(Debug, Clone)]
pub(super) enum Attribute<'a> {
    Number(&'a str, i64),
    Numbers(&'a str, Vec<i64>),
    Texts(&'a str, Vec<String>),
    /// Numbers in double precision.
    Doubles(&'a str, &'a [f64]),
    Graph(&'a str, Message),
}

impl Attribute<'_> {
    /// An `AttributeProto`.
    pub(super) fn message(&self) -> Message {
        let named = |name: &str| Message::default().text(1, name);
        match self {
            Self::Number(name, number) => named(name).number(3, *number).number(20, 2),
            Self::Numbers(name, numbers) => {
                let all = numbers.iter().fold(named(name), |all, number| all.number(8, *number));
                all.number(20, 7)
            }
            Self::Texts(name, texts) => {
                let all = texts.iter().fold(named(name), |all, text| all.text(9, text));
                all.number(20, 8)
            }
            Self::Doubles(name, numbers) => {
                let dims = [numbers.len()];
                let tensor = tensor(name, ElementType::Double, &dims, &Data::of(numbers));
                named(name).message(5, &tensor).number(20, 4)
            }
            Self::Graph(name, graph) => named(name).message(6, graph).number(20, 5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_by_hand() {
        let message = Message::default().number(1, 300).text(2, "hi").number(3, -1);
        let minus_one = [0xff; 9].into_iter().chain([1]);
        let expected = [8, 0xac, 2, 18, 2, b'h', b'i', 24].into_iter().chain(minus_one);
        assert_eq!(message.into_bytes(), expected.collect::<Vec<u8>>());
    }
}
