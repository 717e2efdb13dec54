//! On macOS the linker refuses symbols that nobody defines, and those of the interpreter are only there once it
//! loads the module. maturin tells it; this tells it for `cargo build --workspace` and `cargo test` too.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-link-arg-cdylib=-undefined");
        println!("cargo::rustc-link-arg-cdylib=dynamic_lookup");
    }
}
