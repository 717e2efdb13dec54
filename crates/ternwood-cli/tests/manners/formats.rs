//! The name of an output tells its format.

use crate::Here;

#[test]
fn the_name_tells_the_format_unless_an_option_does() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 2 -q -o model.json");
    for (args, name, beginning) in [
        ("show model.json", "a.txt", "classes of 'ill': no, yes\n"),
        ("show model.json", "a.svg", "<svg "),
        ("show model.json", "a.html", "<!DOCTYPE html>\n"),
        ("show model.json", "a.HTM", "<!DOCTYPE html>\n"),
        ("export model.json", "a.dot", "digraph "),
        ("export model.json", "a.csv", "node,depth,feature,"),
        ("export model.json", "a.json", "{\n  \"format\": \"ternwood-model\""),
        ("export model.json --table t", "a.sql", "-- The answers of a model of ternwood "),
        ("export model.json --to dot", "b.svg", "digraph "),
        ("evaluate new.csv --model model.json", "c.txt", "model.json\nundecided below "),
        ("evaluate new.csv --model model.json", "c.md", "model.json, undecided below "),
        ("evaluate new.csv --model model.json", "c.csv", "zone,routing,"),
        ("evaluate new.csv --model model.json", "c.json", "{\n  \"title\": "),
        ("evaluate new.csv --model model.json --format csv", "d.md", "zone,routing,"),
        ("predict model.json new.csv", "e.tsv", "prediction\t"),
        ("predict model.json new.csv --format csv", "f.tsv", "prediction,"),
    ] {
        here.ok(&format!("{args} -q -o {name}"));
        let text = here.read(name);
        assert!(text.starts_with(beginning), "{args} -o {name}: {text}");
    }
}

#[test]
fn a_name_that_fits_nothing_is_an_error_that_lists_what_fits() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 2 -q -o model.json");
    let before = here.files();
    let of_export = ".sql, .onnx, .json, .safetensors, .dot, .csv or .txt";
    for (args, fitting, option) in [
        ("show model.json", ".txt, .svg, .png, .pdf or .html", "--format"),
        ("export model.json", of_export, "--to"),
        ("evaluate new.csv --model model.json", ".txt, .json, .csv or .md", "--format"),
        ("predict model.json new.csv", ".csv, .tsv or .parquet", "--format"),
    ] {
        for name in ["out.jpg", "out", "out.svg.", ".csv"] {
            let complaint = here.fails(1, &format!("{args} -o {name}"));
            let expected = format!(
                "error: {name}: the name does not tell the format; end it in {fitting}, or say \
                 {option}\n"
            );
            assert_eq!(complaint, expected, "{args}");
        }
        let complaint = here.fails(1, &format!("{args} -o out.csv.gz"));
        assert!(complaint.contains("leave out .gz"), "{complaint}");
    }
    let complaint = here.fails(1, "evaluate new.csv --model model.json --figure risk.pdf");
    assert_eq!(complaint, "error: risk.pdf: figures are SVG files; end the name in .svg\n");
    assert_eq!(here.files(), before);
}

/// Tags are balanced, names are only text, and nothing is loaded.
#[test]
fn a_page_is_complete_in_itself() {
    let here = Here::new();
    let mut table = String::from("\"<b>&\",t,\"\"\"c\"\"\"\n");
    for row in 0..40 {
        let class = if row / 14 == 1 || row % 7 == 0 { "<script>" } else { "</pre>" };
        table += &format!("{},\"<i>{}\",{class}\n", row % 7, row / 14);
    }
    here.write("hostile.csv", &table);
    here.ok("fit hostile.csv --target \"c\" -q -o model.json");
    here.ok("calibrate model.json hostile.csv --flag-rate 0.2 -q -o budget.json");
    let page = here.ok("show budget.json --format html");
    let (markup, scripts) = page.split_once("<script type=\"application/json\"").unwrap();
    let mut open = vec!["html", "head"];
    let after_style = markup.split_once("</style>").unwrap().1;
    for part in after_style.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("every tag ends");
        let name = tag.split([' ', '\n', '/']).find(|name| !name.is_empty()).unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
        assert!(!["script", "link", "img", "i"].contains(&name), "{tag}");
        match tag {
            _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            _ if !tag.ends_with('/') && name != "input" => open.push(name),
            _ => {}
        }
    }
    assert_eq!(open, ["html", "body"]);
    // The model and the program: no name ends either.
    assert_eq!(scripts.matches("</script>").count(), 2);
    assert!(scripts.ends_with("</script>\n</body>\n</html>\n"));
    for name in ["&lt;b&gt;&amp;", "&lt;i&gt;1", "&lt;script&gt;", "&lt;/pre&gt;"] {
        assert!(markup.contains(name), "{name} in {markup}");
    }
    for address in ["http:", "https:", "@import", "href=", "fetch(", "XMLHttpRequest", "WebSocket"]
    {
        let used = page.replace("http://www.w3.org/2000/svg", "").contains(address);
        assert!(!used, "{address}");
    }
}

#[test]
fn pixels_need_a_program_that_makes_them() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 2 -q -o model.json");
    let before = here.files();
    for name in ["tree.png", "tree.pdf"] {
        let output = here.command(&format!("show model.json -o {name}")).env("PATH", "").output();
        let output = output.unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(complaint.contains("rsvg-convert, cairosvg, chromium"), "{complaint}");
        assert!(complaint.contains("save the figure as .svg"), "{complaint}");
    }
    assert_eq!(here.files(), before);
}

#[test]
fn a_page_does_not_depend_on_threads() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 3 -q -o model.json");
    let page =
        |threads| here.ok(&format!("page model.json --data held-out.csv --threads {threads} -q"));
    assert_eq!(page(1), page(2));
    assert!(page(1).contains("240 evaluation rows"));
}
