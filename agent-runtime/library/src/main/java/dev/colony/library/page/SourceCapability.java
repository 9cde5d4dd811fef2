package dev.colony.library.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.Definitions.Outline;
import dev.colony.library.page.Grep.PathGlob;
import dev.colony.library.page.SourceTree.Mentioned;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.PageMap;
import java.util.List;
import java.util.Optional;

/**
 * Looks into the files of a page map: text, lines, definitions, usages and commits. Changes
 * nothing; shows what the agent's tenant may read. Where symbols are defined is told from what
 * lines look like, for Java, Kotlin, Scala, Python, Go, C, C++, JavaScript, TypeScript, Rust, Ruby
 * and shell.
 */
@Registered(
    value = SourceCapability.TYPE,
    summary =
        "Looks into the files of a mapped source tree: finds text, reads lines, finds where symbols"
            + " are defined and used, and which commits changed them.")
public final class SourceCapability extends AgentCapability {

  /** Its type, and before a dot the first part of its actions' keys. */
  public static final String TYPE = "source";

  public static final String GREP = TYPE + ".grep";
  public static final String READ = TYPE + ".read";
  public static final String DEFINITION = TYPE + ".definition";
  public static final String USAGES = TYPE + ".usages";
  public static final String DEPENDENTS = TYPE + ".dependents";
  public static final String FILES = TYPE + ".files";
  public static final String OUTLINE = TYPE + ".outline";
  public static final String HISTORY = TYPE + ".history";

  private static final String MAP = "id of the page map; may be left out where the agent has one";
  private static final int MOST_SPANS = 10_000;

  /**
   * Which map is meant where an action names none.
   *
   * @param map its id; absent where each action has to name one
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Args(Optional<String> map) {

    /** Each action names its map. */
    public static final Args NONE = new Args(Optional.empty());

    public static Args of(String map) {
      return new Args(Optional.of(map));
    }
  }

  /** A map with its texts. */
  private record Opened(PageMap map, SourceTree tree, boolean repositories) {

    MappedFiles files() {
      return new MappedFiles(tree);
    }
  }

  private final Args args;

  public SourceCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  @ActionExecutor(
      key = GREP,
      summary =
          "Finds lines that a regular expression fits, in all files or in some. Use it for words of"
              + " messages, settings and comments, and to find files.",
      tags = "source",
      computing = true)
  Spans grep(
      @Param("a regular expression in RE2 syntax, without lookaround and back references")
          @Range(min = 1, max = 1000)
          String pattern,
      @Param(MAP) Optional<String> map,
      @Param(
              "which files: *.java, src/main, src/**/*.{c,h}; by default all, those of tests"
                  + " included")
          Optional<String> glob,
      @Param(value = "whether capital and small letters are the same", defaultValue = "false")
          Optional<Boolean> ignoreCase,
      @Param(value = "lines shown before and after each match", defaultValue = "0")
          @Range(min = 0, max = 20)
          Optional<Integer> context,
      @Param(value = "how many matches at most", defaultValue = "40")
          @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    return open(map)
        .files()
        .grep(
            pattern,
            glob.orElse(""),
            ignoreCase.orElse(false),
            context.orElse(0),
            limit.orElse(40));
  }

  @ActionExecutor(
      key = READ,
      summary =
          "Reads lines of a file. Use it to see what is around something that was found, or a whole"
              + " file piece by piece.",
      tags = "source")
  Spans read(
      @Param("path of the file; directories at its beginning may be left out") String file,
      @Param(MAP) Optional<String> map,
      @Param(value = "the first line, from 1", defaultValue = "1")
          @Range(min = 1, max = Integer.MAX_VALUE)
          Optional<Integer> firstLine,
      @Param("the last line; by default 199 lines after the first, and at most 399 after it")
          @Range(min = 1, max = Integer.MAX_VALUE)
          Optional<Integer> lastLine) {
    int first = firstLine.orElse(1);
    return open(map)
        .files()
        .read(file, first, lastLine.orElse((int) Math.min(Integer.MAX_VALUE, first + 199L)));
  }

  @ActionExecutor(
      key = DEFINITION,
      summary =
          "Shows where a class, function, method, constant or setting is defined, with its comment"
              + " and its body.",
      tags = "source",
      computing = true)
  Spans definition(
      @Param("its name, as in merge or Tree.merge") @Range(min = 1, max = 300) String symbol,
      @Param(MAP) Optional<String> map,
      @Param(value = "how many definitions at most", defaultValue = "5")
          @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    return open(map).files().definition(symbol, limit.orElse(5));
  }

  @ActionExecutor(
      key = USAGES,
      summary =
          "Lists the lines where a name is used and not defined: calls first, tests and comments"
              + " last. Use it to see what depends on something.",
      tags = "source",
      computing = true)
  Spans usages(
      @Param("its name, as in merge; what it is qualified by is not looked at")
          @Range(min = 1, max = 300)
          String symbol,
      @Param(MAP) Optional<String> map,
      @Param(value = "how many usages at most", defaultValue = "40")
          @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    return open(map).files().usages(symbol, limit.orElse(40));
  }

  @ActionExecutor(
      key = DEPENDENTS,
      summary =
          "Lists what depends on a name: where it is used, where the functions are used that use"
              + " it, and so on, with the files of tests among them.",
      tags = "source",
      computing = true)
  Dependents.Result dependents(
      @Param("its name, as in merge; what it is qualified by is not looked at")
          @Range(min = 1, max = 300)
          String symbol,
      @Param(MAP) Optional<String> map,
      @Param(value = "how far: 1 for what uses it, 2 for what uses that too", defaultValue = "2")
          @Range(min = 1, max = Dependents.MOST_DEPTH)
          Optional<Integer> depth,
      @Param(value = "lines shown before and after each use", defaultValue = "2")
          @Range(min = 0, max = 20)
          Optional<Integer> context,
      @Param(value = "how many uses at most", defaultValue = "60") @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    Opened opened = open(map);
    return Dependents.of(
        opened.tree(),
        MappedFiles.symbol(symbol),
        new Dependents.Bounds(
            depth.orElse(2),
            Math.min(limit.orElse(60), MappedFiles.RESULT_SPANS),
            MappedFiles.RESULT_CHARS,
            context.orElse(2),
            MappedFiles.LINE_CHARS));
  }

  @ActionExecutor(
      key = FILES,
      summary =
          "Lists files, those first that most other files name. Use it to see what there is, and"
              + " what matters most.",
      tags = "source",
      computing = true)
  Mentioned.Result files(
      @Param(MAP) Optional<String> map,
      @Param("which files: *.java, src/main, src/**/*.{c,h}; by default all") Optional<String> glob,
      @Param(value = "how many at most", defaultValue = "40") @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    Opened opened = open(map);
    return Mentioned.of(
        opened.tree(),
        PathGlob.of(glob.orElse("")),
        Math.min(limit.orElse(40), MappedFiles.RESULT_SPANS));
  }

  @ActionExecutor(
      key = OUTLINE,
      summary = "Lists the types and functions that a file defines, with the lines of each.",
      tags = "source")
  Spans outline(
      @Param("path of the file; directories at its beginning may be left out") String file,
      @Param(MAP) Optional<String> map,
      @Param(value = "how many at most", defaultValue = "100") @Range(min = 1, max = MOST_SPANS)
          Optional<Integer> limit) {
    Opened opened = open(map);
    MappedText text = MappedFiles.file(opened.tree(), file);
    List<Span> parts =
        Outline.of(text).parts().stream()
            .map(part -> head(text, part, MappedFiles.LINE_CHARS))
            .toList();
    return MappedFiles.within(
        parts, limit.orElse(100), "%s has %d lines".formatted(text.path(), text.count()));
  }

  /** The first line of a definition as its text, under the lines of all of it. */
  private static Span head(MappedText file, Outline.Part part, int lineChars) {
    Span first = part.definition().span(1, lineChars);
    Span line = file.span(part.definition().at(), part.definition().at(), first.kind(), lineChars);
    return new Span(
        line.file(),
        line.firstLine(),
        file.number(part.last()),
        line.text(),
        line.kind(),
        line.page());
  }

  @ActionExecutor(
      key = HISTORY,
      summary =
          "Lists the latest commits that changed a file, or the files where a name is defined; of"
              + " all files where neither is given.",
      tags = "source")
  History.Changes history(
      @Param(MAP) Optional<String> map,
      @Param("path of the file; directories at its beginning may be left out")
          Optional<String> file,
      @Param("name of a class, function, method, constant or setting") Optional<String> symbol,
      @Param(value = "how many commits at most", defaultValue = "20") @Range(min = 1, max = 1000)
          Optional<Integer> limit) {
    Opened opened = open(map);
    List<String> files =
        file.map(path -> List.of(MappedFiles.file(opened.tree(), path).path()))
            .or(() -> symbol.map(name -> defining(opened.tree(), name)))
            .orElse(List.of());
    return new History(opened.map(), opened.tree(), opened.repositories())
        .of(files, limit.orElse(20));
  }

  private static List<String> defining(SourceTree tree, String name) {
    List<String> files =
        new Definitions(tree)
            .of(MappedFiles.symbol(name)).stream()
                .map(one -> one.file().path())
                .distinct()
                .toList();
    if (files.isEmpty()) {
      throw AgentException.refused("no line looks like a definition of " + name);
    }
    return files;
  }

  private Opened open(Optional<String> given) {
    String id =
        given
            .filter(one -> !one.isBlank())
            .or(args::map)
            .orElseThrow(() -> AgentException.refused("name the page map: this agent has none"));
    SourceTrees trees = agent().service(SourceTrees.class);
    PageMap map = SourceTrees.map(agent().pages(), id);
    return new Opened(
        map, trees.of(map, agent().pages(), agent().id().tenant()), trees.repositories());
  }
}
