//! A graph that grows operator by operator.

use super::proto::{Attribute, Data, ElementType, Message, tensor};

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
    /// True once an operator of the domain `ai.onnx.ml` is used.
    pub(super) uses_ml: bool,
}

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
        let mut node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        // Named, because optimisers of runtimes derive names of their own from those of nodes.
        node = node.text(2, output).text(3, output).text(4, operator);
        node = attributes.iter().fold(node, |node, it| node.message(5, &it.message()));
        if operator == "LabelEncoder" {
            self.uses_ml = true;
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
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(ElementType::Double, dims, &Data::Raw(bytes))
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
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(ElementType::Int64, &[numbers.len()], &Data::Raw(bytes))
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
        let axes = self.ints(&[1]);
        self.op_with(operator, &[value, &axes], &[Attribute::Number("keepdims", 0)])
    }

    /// True where a flag is 1.
    pub(super) fn is_set(&mut self, flags: &str) -> Value {
        let half = self.double(0.5);
        self.op("Greater", &[flags, &half])
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
        let info = super::proto::value_info(name, kind, Some(columns));
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
        let info = super::proto::value_info(name, kind, columns);
        self.outputs = std::mem::take(&mut self.outputs).message(12, &info);
    }

    /// A `GraphProto`.
    pub(super) fn into_message(self, name: &str) -> Message {
        let nodes = Message::default().fields(&self.nodes).text(2, name);
        nodes.fields(&self.constants).fields(&self.inputs).fields(&self.outputs)
    }
}
