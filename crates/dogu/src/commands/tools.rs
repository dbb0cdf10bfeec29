//! `dogu tools`: what a model is offered.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use dogu_runtime::{Catalog, Entry};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

use crate::args::{ToolFormat, Tools, Workspace};
use crate::problem::Problem;
use crate::setup;
use crate::show::still_read;

pub(crate) fn run(workspace: &Workspace, tools: &Tools) -> Result<ExitCode, Problem> {
    let runtime = setup::build_to_show(workspace)?;
    let catalog = chosen(runtime.catalog(), tools.name.as_deref())?;
    let format = if tools.json { ToolFormat::Json } else { tools.format };
    let mut stdout = std::io::stdout().lock();
    let printed = match format {
        ToolFormat::Table if tools.name.is_some() => details(&mut stdout, &catalog),
        ToolFormat::Table => table(&mut stdout, &catalog),
        ToolFormat::Text => {
            let text: String = catalog.specs().map(ToolSpec::to_prompt_text).collect();
            stdout.write_all(text.as_bytes())
        }
        ToolFormat::Json => list(&mut stdout, &catalog.entries().map(as_json).collect::<Vec<_>>()),
        ToolFormat::Openai => {
            list(&mut stdout, &catalog.specs().map(ToolSpec::to_openai).collect::<Vec<_>>())
        }
        ToolFormat::Anthropic => list(&mut stdout, &catalog.schemas()),
        ToolFormat::Mcp => list(&mut stdout, &dogu_mcp::tools_json(&catalog)),
    };
    still_read(printed)?;
    Ok(ExitCode::SUCCESS)
}

fn chosen(mut catalog: Catalog, name: Option<&str>) -> Result<Catalog, Problem> {
    let Some(name) = name else { return Ok(catalog) };
    if !catalog.contains(name) {
        return Err(Problem::wrong_use(format!("there is no tool `{name}`"))
            .hint("`dogu tools` lists the tools"));
    }
    catalog.retain(|spec| spec.name.as_str() == name);
    Ok(catalog)
}

fn list(out: &mut impl Write, tools: &[Value]) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, tools)?;
    writeln!(out)
}

fn as_json(entry: &Arc<Entry>) -> Value {
    let mut value = json!(entry.spec());
    value["source"] = json!(entry.source());
    value
}

fn table(out: &mut impl Write, catalog: &Catalog) -> std::io::Result<()> {
    let widest = catalog.specs().map(|spec| spec.name.as_str().len()).max().unwrap_or(0);
    for entry in catalog.entries() {
        let spec = entry.spec();
        let kind = if entry.is_read_only() { "reads" } else { "acts" };
        let about = spec.description.split(". ").next().unwrap_or_default();
        let about = about.trim_end_matches('.');
        writeln!(out, "{:widest$}  {kind:5}  {:8}  {about}", spec.name, entry.source())?;
    }
    let count = catalog.entries().count();
    writeln!(out, "\n{count} tools, about {} tokens for a model", tokens(catalog))
}

/// Four bytes of JSON a token: right within a third for the usual tokenizers.
fn tokens(catalog: &Catalog) -> usize {
    catalog.schemas().iter().map(|schema| schema.to_string().len()).sum::<usize>() / 4
}

fn details(out: &mut impl Write, catalog: &Catalog) -> std::io::Result<()> {
    for entry in catalog.entries() {
        let spec = entry.spec();
        let title = spec.title.as_deref().unwrap_or(spec.name.as_str());
        writeln!(out, "{title} ({}, {})\n{}\n", spec.name, entry.source(), spec.description)?;
        for name in spec.parameters() {
            let schema = &spec.input_schema["properties"][name];
            let need = if spec.required().contains(&name) { "required" } else { "optional" };
            let about = schema["description"].as_str().unwrap_or_default();
            writeln!(out, "  {name}: {}, {need}. {about}", kind(schema))?;
        }
    }
    Ok(())
}

fn kind(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let names = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            names.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}
