//! What is found in a sample of each language.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dogu_code::language::{Language, errors};
use dogu_code::map::{Definition, Outline};

/// A line for each definition: where it is, what it is, and its signature.
fn shown(name: &str, text: &str) -> String {
    let language = Language::of(name.as_ref(), text.as_bytes()).unwrap();
    assert_eq!(errors(text, language), None, "the sample is sound");
    let outline = Outline::of(text, language, &|| false).unwrap();
    let mut depths: Vec<usize> = Vec::new();
    let mut lines = String::new();
    for definition in &outline.definitions {
        let Definition { kind, name, line, last_line, parent, signature } = definition;
        let depth = parent.map_or(0, |parent| depths[parent as usize] + 1);
        depths.push(depth);
        let indent = "  ".repeat(depth);
        lines += &format!("{indent}{line}-{last_line} {kind:?} {name}: {signature}\n");
    }
    let helper = outline.mentions.iter().find(|(name, _)| name.eq_ignore_ascii_case("helper"));
    lines + &format!("mentions of helper: {}", helper.map_or(0, |(_, count)| *count))
}

#[test]
fn f15_definitions_of_rust() {
    let text = include_str!("fixtures/sample.rs");
    insta::assert_snapshot!(shown("sample.rs", text), @"
    5-5 Constant LIMIT: pub const LIMIT: usize = 512
    6-8 Constant TABLE: static TABLE: [u8; 3]
    11-14 Struct Parser: pub struct Parser<'a, T: Clone>
    16-16 Struct Id: pub struct Id(pub u32)
    18-18 Enum State: pub(crate) enum State
    20-24 Trait Source: pub trait Source: Send
      21-21 Type Item: type Item
      22-22 Method next: fn next(&mut self) -> Option<Self::Item>
      23-23 Method all: fn all(&mut self) -> Vec<Self::Item>
    26-36 Implementation Parser: impl<'a, T: Clone> Parser<'a, T>
      28-35 Method parse: pub async fn parse(&mut self, limit: usize) -> Result<State, fmt::Error>
    38-38 Type Pair: type Pair = (u32, u32)
    39-41 Module inner: mod inner
      40-40 Function deep: pub fn deep() where u8: Copy
    42-42 Macro twice: macro_rules! twice
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_python() {
    let text = include_str!("fixtures/sample.py");
    insta::assert_snapshot!(shown("sample.py", text), @r#"
    4-4 Constant T: T = TypeVar("T")
    5-5 Constant MAX_SIZE: MAX_SIZE: int = 10
    8-8 Type Pair: type Pair[A] = tuple[A, A]
    12-28 Class Reader: class Reader(Base, Generic[T])
      13-13 Constant LIMIT: LIMIT = 3
      16-19 Method name: def name(self) -> str
      21-25 Method read: async def read(self, path: str, *args: int) -> bytes
      27-28 Class Inner: class Inner
        28-28 Method deep: def deep(self)
    31-34 Function main: def main(argv=None)
    38-38 Function conditional: def conditional()
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_javascript() {
    let text = include_str!("fixtures/sample.js");
    insta::assert_snapshot!(shown("sample.js", text), @"
    3-3 Constant LIMIT: export const LIMIT = 10
    3-3 Constant OTHER: export const OTHER = 20
    4-6 Constant table: const table
    8-8 Function add: export const add = (a, b) =>
    9-12 Function load: export const load = async function (url)
    14-20 Class Store: export default class Store extends Base
      16-16 Method create: static create()
      17-17 Method entries: async *entries(from, to)
      18-18 Method size: get size()
      19-19 Method onClick: onClick = (event) =>
    22-22 Function walk: function* walk(tree)
    23-23 Function main: async function main(argv)
    25-25 Function run: exports.run = function (options)
    26-26 Function clear: Store.prototype.clear = () =>
    mentions of helper: 2
    ");
}

#[test]
fn f15_definitions_of_typescript() {
    let text = include_str!("fixtures/sample.ts");
    insta::assert_snapshot!(shown("sample.ts", text), @r#"
    3-6 Interface Shape: export interface Shape<T> extends Base
      5-5 Method area: area(scale: number): T
    8-8 Type Id: export type Id = string | number
    9-9 Enum Color: export enum Color
    10-10 Function outside: declare function outside(x: number): void
    13-24 Class Circle: export abstract class Circle<T> implements Shape<T>
      15-15 Method constructor: constructor(private readonly id: Id)
      16-16 Method draw: abstract draw(on: Canvas): void
      17-22 Method area: async area(scale: number, unit?: string): Promise<T>
      23-23 Method handler: handler = (e: Event): void =>
    26-28 Module Util: export namespace Util
      27-27 Function parse: export const parse = <T,>(text: string): T =>
    29-29 Function identity: export function identity<T>(value: T): T
    30-30 Constant VERSION: export const VERSION: string = "1.0"
    31-31 Enum Small: const enum Small
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_tsx() {
    let text = include_str!("fixtures/sample.tsx");
    insta::assert_snapshot!(shown("sample.tsx", text), @"
    3-3 Interface Props: interface Props
    5-7 Function Dialog: export const Dialog: React.FC<Props> = ({ title, onClose }) =>
    9-12 Function Header: export default function Header({ title }: Props)
    14-14 Function useDialog: export const useDialog = () =>
    15-15 Constant DialogContext: const DialogContext = React.createContext<Props | null>(null)
    16-18 Class Panel: export class Panel extends React.Component<Props>
      17-17 Method render: render()
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_go() {
    let text = include_str!("fixtures/sample.go");
    insta::assert_snapshot!(shown("sample.go", text), @r#"
    5-5 Constant Limit: const Limit = 10
    8-8 Constant First: const First = iota
    9-9 Constant Second: const Second
    12-12 Constant ErrGone: var ErrGone = errors.New("gone")
    14-16 Struct Reader: type Reader[T any] struct
    19-21 Interface Source: type Source interface
      20-20 Method Next: Next(ctx context.Context) (int, error)
    22-22 Type Alias: type Alias = Reader[int]
    25-25 Type Handler: type Handler func(w Writer) error
    28-35 Method Read: func (r *Reader[T]) Read(path string, limit int) ([]byte, error)
    37-37 Function main: func main()
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_java() {
    let text = include_str!("fixtures/Sample.java");
    insta::assert_snapshot!(shown("Sample.java", text), @r#"
    7-27 Class Sample: public abstract class Sample<T extends Base> extends Parent implements Runnable
      8-8 Constant LIMIT: public static final int LIMIT = 10
      9-10 Constant NAMES: private static final List<String> NAMES
      14-14 Method Sample: public Sample(String name)
      17-17 Method run: public void run()
      19-20 Method load: protected abstract <R> R load(String path, int limit) throws IOException
      22-22 Enum State: enum State
        22-22 Method next: State next()
      24-24 Interface Visitor: interface Visitor
        24-24 Method visit: void visit(Sample<?> sample)
      26-26 Class Point: record Point(int x, int y)
        26-26 Method Point: Point
    29-29 Interface Marker: @interface Marker
      29-29 Method value: String value() default ""
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_c() {
    let text = include_str!("fixtures/sample.c");
    insta::assert_snapshot!(shown("sample.c", text), @"
    3-3 Constant LIMIT: #define LIMIT 10
    4-4 Macro MAX: #define MAX(a, b)
    7-10 Struct node: struct node
    12-14 Struct list_t: typedef struct list {…} list_t
      12-14 Struct list: struct list
    16-16 Type size_type: typedef unsigned long size_type
    17-17 Enum color: typedef enum {…} color
    19-19 Enum state: enum state
    20-20 Struct word: union word
    22-22 Function list_length: int list_length(const list_t *list)
    23-23 Function name_of: extern char *name_of(enum state s), other
    26-33 Function find_node: static inline struct node * find_node(list_t *list, int value)
    36-36 Function extra: void extra(void)
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_cpp() {
    let text = include_str!("fixtures/sample.cpp");
    insta::assert_snapshot!(shown("sample.cpp", text), @"
    3-32 Module inner: namespace outer::inner
      5-18 Class Stack: template <typename T> class Stack : public Base<T>
        8-8 Method Stack: Stack()
        9-9 Method Stack: explicit Stack(int size)
        10-10 Method Stack: ~Stack()
        11-11 Method push: void push(const T& item)
        12-12 Method top: T& top() const
        13-13 Method size: virtual int size() const = 0
        14-14 Method operator==: bool operator==(const Stack& other) const
        17-17 Struct Slot: struct Slot
      20-20 Enum Color: enum class Color : int
      21-21 Type Names: using Names = std::vector<std::string>
      23-24 Interface Sized: template <typename T> concept Sized = requires(T t) { t.size(); }
      26-30 Function combine: template <typename T, typename U> auto combine(T first, U second) -> decltype(first + second)
    34-34 Function size: int outer::inner::Stack<int>::size() const
    35-35 Macro CHECK: #define CHECK(x)
    36-36 Function c_function: void c_function(int x)
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_c_sharp() {
    let text = include_str!("fixtures/Sample.cs");
    insta::assert_snapshot!(shown("Sample.cs", text), @r#"
    3-3 Module Core: namespace Sample.Core
    6-30 Class Store: public abstract class Store<T> : Base, IStore where T : class
      8-8 Constant Limit: public const int Limit = 10
      9-9 Constant Names: private static readonly string[] Names
      12-12 Method Store: public Store(string name) : base(name)
      14-14 Property Count: public int Count
      15-15 Property Title: public string Title => "x"
      18-24 Method LoadAsync: public async Task<T> LoadAsync(string path, int limit = 3)
      26-26 Method Clear: protected abstract void Clear()
      27-27 Method +: public static Store<T> operator +(Store<T> a, Store<T> b)
      28-28 Method this: public T this[int at]
      29-29 Enum State: enum State
    32-32 Interface IStore: public interface IStore
      32-32 Method Clear: void Clear()
    33-33 Class Point: public record Point(int X, int Y)
    34-34 Struct Pair: public struct Pair
    35-35 Type Changed: public delegate void Changed(object sender)
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_ruby() {
    let text = include_str!("fixtures/sample.rb");
    insta::assert_snapshot!(shown("sample.rb", text), @"
    3-29 Module Sample: module Sample
      4-4 Constant LIMIT: LIMIT = 10
      5-7 Constant VALUES: VALUES
      9-26 Class Reader: class Reader < Base::Thing
        12-15 Method initialize: def initialize(name, limit: 3)
        17-19 Method open: def self.open(path, *rest, &block)
        21-21 Method empty?: def empty?
        23-25 Implementation self: class << self
          24-24 Method build: def build
      28-28 Class Error: class Error < StandardError
    31-33 Class Outer: class Sample::Outer
      32-32 Method []: def [](key)
    35-36 Function main: def main(argv)
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_php() {
    let text = include_str!("fixtures/sample.php");
    insta::assert_snapshot!(shown("sample.php", text), @r"
    3-3 Module Models: namespace App\Models
    7-7 Constant VERSION: const VERSION = '1.0'
    9-9 Interface HasName: interface HasName extends Base
      9-9 Method name: public function name(): string
    11-15 Trait Counts: trait Counts
      14-14 Method count: public function count(): int
    18-35 Class User: abstract class User extends Model implements HasName
      21-21 Constant LIMIT: public const LIMIT = 10
      21-21 Constant OTHER: public const LIMIT = 10, OTHER = 20
      23-23 Method __construct: public function __construct(private readonly string $name)
      26-32 Method find: public static function find(int $id, ?string $scope = null): ?self
      34-34 Method save: abstract protected function save(): void
    37-37 Enum Suit: enum Suit: string
      37-37 Method label: public function label(): string
    39-39 Function main: function main(array $argv): int
    mentions of helper: 2
    ");
}

#[test]
fn f15_definitions_of_bash() {
    let text = include_str!("fixtures/sample.sh");
    insta::assert_snapshot!(shown("sample.sh", text), @r#"
    5-5 Constant LIMIT: readonly LIMIT=10
    6-6 Constant PATH_LIST: export PATH_LIST="a:b"
    7-7 Constant CONFIG: CONFIG=$HOME/.config
    10-13 Function log: log()
    15-18 Function build_all: function build_all
    20-22 Function clean: function clean()
    mentions of helper: 1
    "#);
}

#[test]
fn f15_definitions_of_kotlin() {
    let text = include_str!("fixtures/Sample.kt");
    insta::assert_snapshot!(shown("Sample.kt", text), @"
    5-5 Property LIMIT: const val LIMIT = 10
    6-6 Property names: val names: List<String>
    7-7 Type Handler: typealias Handler = (String) -> Unit
    10-10 Class Point: data class Point(val x: Int, val y: Int) : Shape<Int>()
    12-15 Interface Shape: interface Shape<T>
      13-13 Property area: val area: T
      14-14 Method draw: fun draw(on: Canvas): Unit
    17-26 Class Result: sealed class Result<out T>
      18-18 Class Empty: object Empty : Result<Nothing>()
      19-22 Class Full: class Full<T>(val value: T) : Result<T>()
        20-20 Method constructor: constructor(other: Full<T>)
        21-21 Method toString: override fun toString(): String
      23-25 Class Companion: companion object
        24-24 Method of: fun <T> of(value: T): Result<T>
    28-31 Enum Color: enum class Color(val rgb: Int)
      30-30 Method hex: fun hex()
    34-41 Function load: suspend fun <T> List<T>.load(path: String, limit: Int = 3): T?
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_swift() {
    let text = include_str!("fixtures/sample.swift");
    insta::assert_snapshot!(shown("sample.swift", text), @"
    3-3 Property limit: let limit = 10
    4-4 Type Handler: typealias Handler = (String) -> Void
    6-24 Class Store: public class Store<T: Codable>: Base, Shape
      7-7 Property name: private let name: String
      8-8 Property count: var count: Int
      9-9 Property shared: static let shared = Store()
      11-11 Method init: init(name: String)
      15-22 Method load: public func load(from path: String, limit: Int = 3) async throws -> T
      23-23 Method subscript: subscript(index: Int) -> T
    26-30 Interface Shape: protocol Shape
      27-27 Type Item: associatedtype Item
      28-28 Property area: var area: Double { get }
      29-29 Method draw: func draw(on canvas: Canvas)
    32-32 Struct Point: struct Point
      32-32 Property x: let x: Int
    33-33 Enum Color: enum Color: String
      33-33 Method hex: func hex() -> String
    34-34 Implementation Point: extension Point: Shape
      34-34 Method move: mutating func move()
    35-35 Class Worker: actor Worker
      35-35 Method run: func run() async
    36-36 Function main: func main()
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_scala() {
    let text = include_str!("fixtures/Sample.scala");
    insta::assert_snapshot!(shown("Sample.scala", text), @"
    5-9 Trait Shape: trait Shape[T] extends Base
      6-6 Type Item: type Item
      7-7 Constant area: val area: Double
      8-8 Method draw: def draw(on: Canvas): Unit
    12-23 Class Point: case class Point(x: Int, y: Int) extends Shape[Int]
      13-13 Constant limit: val limit = 10
      14-18 Method draw: override def draw(on: Canvas): Unit
      19-22 Method many: private def many(first: Int, second: Int): Try[Int]
    25-28 Class Point: object Point
      26-26 Constant Max: val Max: Int = 3
      27-27 Method of: def of(x: Int): Point
    30-30 Type Pair: type Pair = (Int, Int)
    31-31 Enum Color: enum Color
    32-32 Constant ordering: given ordering: Ordering[Point] = Ordering.by(_.x)
    33-33 Implementation extension: extension (p: Point)
      33-33 Method moved: def moved: Point
    34-34 Class Outer: abstract class Outer
      34-34 Class Inner: class Inner
    mentions of helper: 1
    ");
}

#[test]
fn f15_definitions_of_lua() {
    let text = include_str!("fixtures/sample.lua");
    insta::assert_snapshot!(shown("sample.lua", text), @"
    4-7 Function helper: local function helper(path, limit)
    9-11 Function read: function M.read(path, ...)
    13-14 Function close: function M:close()
    16-18 Function write: M.write = function(path, text)
    20-20 Function open: local open = function(path)
    22-22 Function global_one: function global_one()
    mentions of helper: 2
    ");
}
