//! ONNX graphs, and their bytes as protocol buffers.

/// The name of a tensor in the graph.
pub(super) type Value = String;

/// Operators and constants so far.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Message,
    constants: Message,
    inputs: Message,
    outputs: Message,
    n_values: usize,
    /// The version of `ai.onnx.ml` that its operators need; 0 while there are none.
    pub(super) ml_version: i64,
}

/// The operators of `ai.onnx.ml`, and since which version they are as they are used here.
const OF_ML: [(&str, i64); 2] = [("LabelEncoder", 2), ("TreeEnsembleRegressor", 3)];

impl Graph {
    fn fresh(&mut self) -> Value {
        self.n_values += 1;
        format!("v{}", self.n_values)
    }

    /// The result of an operator.
    pub(super) fn op(&mut self, operator: &str, inputs: &[&str]) -> Value {
        self.op_with(operator, inputs, &[])
    }

    pub(super) fn op_with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[Attribute<'_>],
    ) -> Value {
        let output = self.fresh();
        self.named_op(operator, inputs, attributes, &output);
        output
    }

    fn named_op(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[Attribute<'_>],
        output: &str,
    ) {
        self.op_of_many(operator, inputs, attributes, &[output]);
    }

    /// An operator with several results.
    fn op_of_many(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[Attribute<'_>],
        outputs: &[&str],
    ) {
        let mut node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        // Named, because optimisers of runtimes derive names of their own from those of nodes.
        node = outputs.iter().fold(node, |node, output| node.text(2, output));
        node = node.text(3, outputs[0]).text(4, operator);
        node = attributes.iter().fold(node, |node, it| node.message(5, &it.message()));
        if let Some((_, version)) = OF_ML.iter().find(|(name, _)| *name == operator) {
            self.ml_version = self.ml_version.max(*version);
            node = node.text(7, "ai.onnx.ml");
        }
        self.nodes = std::mem::take(&mut self.nodes).message(1, &node);
    }

    fn constant(&mut self, kind: ElementType, dims: &[usize], data: &Data<'_>) -> Value {
        let name = self.fresh();
        let constant = tensor(&name, kind, dims, data);
        self.constants = std::mem::take(&mut self.constants).message(5, &constant);
        name
    }

    pub(super) fn doubles(&mut self, dims: &[usize], numbers: &[f64]) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), numbers.len(), "{dims:?}");
        self.constant(ElementType::Double, dims, &Data::of(numbers))
    }

    /// A number that suits every shape.
    pub(super) fn double(&mut self, number: f64) -> Value {
        self.doubles(&[], &[number])
    }

    /// One number for every column.
    pub(super) fn row(&mut self, numbers: &[f64]) -> Value {
        self.doubles(&[1, numbers.len()], numbers)
    }

    pub(super) fn ints(&mut self, numbers: &[i64]) -> Value {
        self.whole_numbers(&[numbers.len()], numbers)
    }

    pub(super) fn whole_numbers(&mut self, dims: &[usize], numbers: &[i64]) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), numbers.len(), "{dims:?}");
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(ElementType::Int64, dims, &Data::Raw(bytes))
    }

    /// A whole number without an axis.
    pub(super) fn int(&mut self, number: i64) -> Value {
        self.constant(ElementType::Int64, &[], &Data::Raw(number.to_le_bytes().to_vec()))
    }

    pub(super) fn bools(&mut self, values: &[bool]) -> Value {
        let bytes = values.iter().map(|value| u8::from(*value)).collect();
        self.constant(ElementType::Bool, &[values.len()], &Data::Raw(bytes))
    }

    pub(super) fn texts(&mut self, texts: &[String]) -> Value {
        self.constant(ElementType::String, &[texts.len()], &Data::Texts(texts))
    }

    /// These columns of a tensor, which stay columns.
    pub(super) fn columns(&mut self, value: &str, indices: &[usize]) -> Value {
        let indices: Vec<i64> = indices.iter().map(|index| *index as i64).collect();
        let indices = self.ints(&indices);
        self.op_with("Gather", &[value, &indices], &[Attribute::Number("axis", 1)])
    }

    /// Side by side; one alone is itself.
    pub(super) fn concat(&mut self, values: &[Value]) -> Value {
        if let [value] = values {
            return value.clone();
        }
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.op_with("Concat", &values, &[Attribute::Number("axis", 1)])
    }

    /// With an axis of length 1 at `axis`.
    pub(super) fn unsqueezed(&mut self, value: &str, axis: i64) -> Value {
        let axes = self.ints(&[axis]);
        self.op("Unsqueeze", &[value, &axes])
    }

    /// Without the axis of length 1 at `axis`.
    pub(super) fn squeezed(&mut self, value: &str, axis: i64) -> Value {
        let axes = self.ints(&[axis]);
        self.op("Squeeze", &[value, &axes])
    }

    /// The operator `ReduceMax`, `ReduceMin` or `ReduceSum` over the columns, which go.
    pub(super) fn reduced(&mut self, operator: &str, value: &str) -> Value {
        self.reduced_over(operator, value, 1)
    }

    /// The same over an axis, which goes.
    pub(super) fn reduced_over(&mut self, operator: &str, value: &str, axis: i64) -> Value {
        let axes = self.ints(&[axis]);
        self.op_with(operator, &[value, &axes], &[Attribute::Number("keepdims", 0)])
    }

    /// True where a flag is 1.
    pub(super) fn is_set(&mut self, flags: &str) -> Value {
        let half = self.double(0.5);
        self.op("Greater", &[flags, &half])
    }

    /// True if any of these conditions holds; false if there are none.
    pub(super) fn any(&mut self, conditions: &str) -> Value {
        let numbers = self.cast(conditions, ElementType::Int64);
        let count = self.op_with("ReduceSum", &[&numbers], &[Attribute::Number("keepdims", 0)]);
        let none = self.int(0);
        self.op("Greater", &[&count, &none])
    }

    /// The first of two conditions where `is_first` holds, elsewhere the second: `Where` of runtimes takes no conditions.
    pub(super) fn one_of(&mut self, is_first: &str, first: &str, second: &str) -> Value {
        let first = self.op("And", &[is_first, first]);
        let is_second = self.op("Not", &[is_first]);
        let second = self.op("And", &[&is_second, second]);
        self.op("Or", &[&first, &second])
    }

    /// `1 - x`.
    pub(super) fn rest(&mut self, value: &str) -> Value {
        let one = self.double(1.0);
        self.op("Sub", &[&one, value])
    }

    /// Kept from 0 to 1.
    pub(super) fn clipped(&mut self, value: &str) -> Value {
        let [zero, one] = [self.double(0.0), self.double(1.0)];
        self.op("Clip", &[value, &zero, &one])
    }

    pub(super) fn input(&mut self, name: &str, kind: ElementType, columns: usize) {
        let info = value_info(name, kind, Some(columns));
        self.inputs = std::mem::take(&mut self.inputs).message(11, &info);
    }

    /// Names a value and makes it an output.
    pub(super) fn output(
        &mut self,
        name: &str,
        value: &str,
        kind: ElementType,
        columns: Option<usize>,
    ) {
        self.named_op("Identity", &[value], &[], name);
        let info = value_info(name, kind, columns);
        self.outputs = std::mem::take(&mut self.outputs).message(12, &info);
    }

    /// The numbers of `table` at these places.
    pub(super) fn looked_up(&mut self, table: &str, places: &str) -> Value {
        self.op("Gather", &[table, places])
    }

    /// As another type.
    pub(super) fn cast(&mut self, value: &str, to: ElementType) -> Value {
        self.op_with("Cast", &[value], &[Attribute::Number("to", to as i64)])
    }

    /// With these dimensions; 0 keeps one, -1 is what is left.
    pub(super) fn reshaped(&mut self, value: &str, dims: &[i64]) -> Value {
        let dims = self.ints(dims);
        self.op("Reshape", &[value, &dims])
    }

    /// Repeats `body` with values that it changes: at most `most` times, and only as long as it says. It is given the
    /// values, and returns whether to go on, and the new ones.
    pub(super) fn repeated(
        &mut self,
        most: usize,
        values: &[(Value, ElementType)],
        body: impl FnOnce(&mut Self, &[Value]) -> (Value, Vec<Value>),
    ) -> Vec<Value> {
        let [number, goes_on] = [self.fresh(), self.fresh()];
        let given: Vec<Value> = values.iter().map(|_| self.fresh()).collect();
        let (graph, (again, changed)) = self.part(|graph| body(graph, &given));
        let mut graph = graph
            .message(11, &scalar(&number, ElementType::Int64))
            .message(11, &scalar(&goes_on, ElementType::Bool));
        for (name, (_, kind)) in given.iter().zip(values) {
            graph = graph.message(11, &any_shape(name, *kind));
        }
        graph = graph.message(12, &scalar(&again, ElementType::Bool));
        for (name, (_, kind)) in changed.iter().zip(values) {
            graph = graph.message(12, &any_shape(name, *kind));
        }
        let most = self.int(most as i64);
        // It may be left out, but skl2onnx then cannot sort the operators of a pipeline.
        let begins = self.constant(ElementType::Bool, &[], &Data::Raw(vec![1]));
        let inputs = [most.as_str(), begins.as_str()].into_iter();
        let inputs: Vec<&str> =
            inputs.chain(values.iter().map(|(name, _)| name.as_str())).collect();
        let results: Vec<Value> = values.iter().map(|_| self.fresh()).collect();
        let outputs: Vec<&str> = results.iter().map(String::as_str).collect();
        self.op_of_many("Loop", &inputs, &[Attribute::Graph("body", graph)], &outputs);
        results
    }

    /// The values of one of two graphs, whichever a condition wants.
    pub(super) fn either(
        &mut self,
        condition: &str,
        kinds: &[ElementType],
        of_true: impl FnOnce(&mut Self) -> Vec<Value>,
        of_false: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let with_outputs = |(mut graph, values): (Message, Vec<Value>)| {
            for (name, kind) in values.iter().zip(kinds) {
                graph = graph.message(12, &any_shape(name, *kind));
            }
            graph
        };
        let branches = [
            Attribute::Graph("then_branch", with_outputs(self.part(of_true))),
            Attribute::Graph("else_branch", with_outputs(self.part(of_false))),
        ];
        let results: Vec<Value> = kinds.iter().map(|_| self.fresh()).collect();
        let outputs: Vec<&str> = results.iter().map(String::as_str).collect();
        self.op_of_many("If", &[condition], &branches, &outputs);
        results
    }

    /// A graph within this one, which knows the values of this one, as a `GraphProto` without inputs and outputs.
    fn part<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> (Message, T) {
        let nodes = std::mem::take(&mut self.nodes);
        let constants = std::mem::take(&mut self.constants);
        let built = build(self);
        let nodes = std::mem::replace(&mut self.nodes, nodes).text(2, &self.fresh());
        let constants = std::mem::replace(&mut self.constants, constants);
        (nodes.fields(&constants), built)
    }

    /// A `GraphProto`.
    pub(super) fn into_message(self, name: &str) -> Message {
        let nodes = Message::default().fields(&self.nodes).text(2, name);
        nodes.fields(&self.constants).fields(&self.inputs).fields(&self.outputs)
    }
}

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
