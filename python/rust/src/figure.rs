//! Figures in other formats than SVG.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ternwood_figures::{ImageFormat, converted};

/// An SVG document as a PDF document, or as pixels.
#[pyfunction]
pub(crate) fn convert_figure<'py>(
    py: Python<'py>,
    svg: &str,
    as_pdf: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = if as_pdf { ImageFormat::Pdf } else { ImageFormat::Png };
    let bytes = py.detach(|| converted(svg, format));
    let bytes = bytes.map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}
