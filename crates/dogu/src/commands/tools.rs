//! `dogu tools`: what a model is offered.

use std::io::Write;
use std::process::ExitCode;

use dogu_protocol::schema::{Target, definition, xml_help};
use dogu_runtime::Catalog;
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

use crate::args::{ToolFormat, Tools, Workspace};
use crate::problem::{Problem, warn};
use crate::show::still_read;
use crate::{definitions, setup};

pub(crate) fn run(workspace: &Workspace, tools: &Tools) -> Result<ExitCode, Problem> {
    let setup = setup::build_to_list(workspace, setup::Asking::Nobody)?;
    if tools.file.is_none() {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        setup::warn_unusable(&tokio.block_on(setup.gateway.load()));
    }
    let mut catalog = setup.runtime.catalog();
    if let Some(path) = &tools.file {
        catalog.retain(|_| false);
        definitions::read(path)?.into_iter().for_each(|spec| catalog.list_only(spec));
    }
    let catalog = chosen(catalog, tools.name.as_deref())?;
    let format = if tools.json { ToolFormat::Json } else { tools.format };
    let mut stdout = std::io::stdout().lock();
    let printed = match format {
        ToolFormat::Table if tools.name.is_some() => details(&mut stdout, &catalog),
        ToolFormat::Table => table(&mut stdout, &catalog),
        ToolFormat::Text => {
            let text: String = catalog.specs().map(ToolSpec::to_prompt_text).collect();
            stdout.write_all(text.as_bytes())
        }
        ToolFormat::Json => {
            let all: Vec<Value> = catalog.specs().map(|spec| as_json(spec, &catalog)).collect();
            list(&mut stdout, &all)
        }
        ToolFormat::Xml => stdout.write_all(xml_help(catalog.specs()).as_bytes()),
        ToolFormat::Mcp if tools.file.is_none() => {
            list(&mut stdout, &dogu_mcp::tools_json(&catalog))
        }
        ToolFormat::Mcp => list(&mut stdout, &definitions_for(Target::Mcp, &catalog)),
        ToolFormat::Openai => list(&mut stdout, &definitions_for(Target::OpenAi, &catalog)),
        ToolFormat::OpenaiStrict => {
            list(&mut stdout, &definitions_for(Target::OpenAiStrict, &catalog))
        }
        ToolFormat::Responses => list(&mut stdout, &definitions_for(Target::Responses, &catalog)),
        ToolFormat::ResponsesStrict => {
            list(&mut stdout, &definitions_for(Target::ResponsesStrict, &catalog))
        }
        ToolFormat::Anthropic => list(&mut stdout, &definitions_for(Target::Anthropic, &catalog)),
        ToolFormat::Gemini => list(&mut stdout, &definitions_for(Target::Gemini, &catalog)),
    };
    still_read(printed)?;
    Ok(ExitCode::SUCCESS)
}

/// The tools as a provider wants them; what its schemas cannot say is told on stderr.
fn definitions_for(target: Target, catalog: &Catalog) -> Vec<Value> {
    let definitions = catalog.specs().map(|spec| {
        let definition = definition(spec, target);
        for warning in &definition.warnings {
            warn(&format!("{}: {warning}", spec.name));
        }
        definition.tool
    });
    definitions.collect()
}

fn chosen(mut catalog: Catalog, name: Option<&str>) -> Result<Catalog, Problem> {
    let Some(name) = name else { return Ok(catalog) };
    if !catalog.contains(name) {
        return Err(Problem::wrong_use(format!("there is no tool `{name}`"))
            .hint("`dogu tools` lists the tools"));
    }
    catalog.retain(|spec| spec.name.as_str() == name);
    catalog.list(name);
    Ok(catalog)
}

fn list(out: &mut impl Write, tools: &[Value]) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, tools)?;
    writeln!(out)
}

fn as_json(spec: &ToolSpec, catalog: &Catalog) -> Value {
    let mut value = json!(spec);
    value["tokens"] = json!(spec.tokens());
    if let Some(entry) = catalog.entry(spec.name.as_str()) {
        value["source"] = json!(entry.source());
    }
    value
}

fn table(out: &mut impl Write, catalog: &Catalog) -> std::io::Result<()> {
    let widest = catalog.specs().map(|spec| spec.name.as_str().len()).max().unwrap_or(0);
    for spec in catalog.specs() {
        let about = spec.description.split(". ").next().unwrap_or_default();
        let about = about.trim_end_matches('.');
        match catalog.entry(spec.name.as_str()) {
            Some(entry) => {
                let kind = if entry.is_read_only() { "reads" } else { "acts" };
                let (cost, source) = (entry.tokens(), entry.source());
                writeln!(out, "{:widest$}  {cost:5}  {kind:5}  {source:8}  {about}", spec.name)?;
            }
            None => writeln!(out, "{:widest$}  {:5}  {about}", spec.name, spec.tokens())?,
        }
    }
    let count = catalog.specs().count();
    writeln!(out, "\n{count} tools, about {} tokens for a model", catalog.tokens())?;
    let deferred: Vec<&ToolSpec> = catalog.deferred().collect();
    if catalog.is_focused() {
        let tokens: usize = deferred.iter().map(|spec| spec.tokens()).sum();
        let found = format!("{} more are found by search_tools", deferred.len());
        return writeln!(out, "{found}; all listed would be {tokens} tokens more");
    }
    let names: Vec<&str> = deferred.iter().map(|spec| spec.name.as_str()).collect();
    match names.as_slice() {
        [] => Ok(()),
        names => writeln!(out, "also callable by name: {}", names.join(", ")),
    }
}

fn details(out: &mut impl Write, catalog: &Catalog) -> std::io::Result<()> {
    for spec in catalog.specs() {
        let title = spec.title.as_deref().unwrap_or(spec.name.as_str());
        let source = catalog.entry(spec.name.as_str()).map(|entry| format!(", {}", entry.source()));
        let source = source.unwrap_or_default();
        let cost = spec.tokens();
        let head = format!("{title} ({}{source}, about {cost} tokens)", spec.name);
        writeln!(out, "{head}\n{}\n", spec.description)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dogu_runtime::{Registry, Source};
    use dogu_tool::{Exposure, ShapedTool};

    use super::*;

    /// A catalog with one listed and two deferred tools.
    fn catalog() -> Catalog {
        let registry = Registry::new();
        let exposures = [Exposure::Direct, Exposure::Deferred, Exposure::Deferred];
        for (name, exposure) in ["shown", "later", "last"].into_iter().zip(exposures) {
            let spec = ToolSpec::new(name, "Does it.", json!({"type": "object"})).unwrap();
            let spec = ToolSpec { exposure, ..spec };
            let tool = ShapedTool::new(spec, |_, _| async { Ok(().into()) });
            registry.register(Source::Builtin, Arc::new(tool)).unwrap();
        }
        Catalog::of(&registry.snapshot())
    }

    fn printed(print: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn deferred_tools_stand_apart_from_the_table() {
        let text = printed(|out| table(out, &catalog()));
        assert!(text.starts_with("shown  "), "{text}");
        assert!(text.contains("\n1 tools, "), "{text}");
        assert!(text.ends_with("\nalso callable by name: later, last\n"), "{text}");
        let mut without = catalog();
        without.retain(|spec| spec.exposure == Exposure::Direct);
        assert!(!printed(|out| table(out, &without)).contains("also callable"));
    }

    #[test]
    fn a_deferred_tool_is_shown_by_its_name() {
        let one = chosen(catalog(), Some("later")).unwrap();
        assert_eq!(
            printed(|out| details(out, &one)),
            "later (later, builtin, about 19 tokens)\nDoes it.\n\n"
        );
        assert_eq!(one.schemas().len(), 1);
    }
}
