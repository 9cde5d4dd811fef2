package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.library.page.Definitions.Symbol;
import dev.colony.library.page.Dependents.Usages;
import dev.colony.library.page.Grep.PathGlob;
import dev.colony.library.page.Spans.Reading;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.PageMap;
import java.util.List;

/**
 * The files of a page map, for those who look into them: {@link SourceCapability} for agents that
 * plan, policies for models that they let look. Changes nothing. Thread-safe; each look takes one
 * pass over the texts at most. What cannot be looked for is an {@link AgentException} whose message
 * says on one line what to give instead.
 */
public final class MappedFiles {

  /** Lines of one reading at most. */
  static final int READ_LINES = 400;

  /** Spans of one result, and characters of the text of all of them; the rest is counted. */
  static final int RESULT_SPANS = 200;

  static final int RESULT_CHARS = 40_000;

  /** A longer line is cut. */
  static final int LINE_CHARS = 400;

  /** Lines of a definition, from the line that says its name. */
  private static final int DEFINITION_LINES = 80;

  private static final int CANDIDATES = 8;

  private final SourceTree tree;

  MappedFiles(SourceTree tree) {
    this.tree = tree;
  }

  /**
   * Those of a map, as the agent's tenant may read them. The first use of a map on a node reads its
   * pages.
   *
   * @throws AgentException if the tenant may not, or they take more memory than all maps may
   */
  public static MappedFiles of(Agent agent, String map) {
    SourceTrees trees = agent.service(SourceTrees.class);
    PageMap found = SourceTrees.map(agent.pages(), map);
    return new MappedFiles(trees.of(found, agent.pages(), agent.id().tenant()));
  }

  /**
   * The lines that a regular expression of RE2 fits.
   *
   * @param glob which files, as in {@code src/**}{@code /*.java}; empty for all
   * @param context lines around each match
   * @param limit spans at most
   */
  public Spans grep(String pattern, String glob, boolean ignoreCase, int context, int limit) {
    List<MappedText> files = tree.files(PathGlob.of(glob));
    return within(
        new Grep(pattern, ignoreCase, context, LINE_CHARS).in(files),
        limit,
        files.isEmpty() ? "no file of the map fits " + glob : "");
  }

  /**
   * Lines of a file, {@value #READ_LINES} at most.
   *
   * @param path whose first directories may be left out
   * @param last inclusive
   */
  public Spans read(String path, int first, int last) {
    MappedText text = file(tree, path);
    if (last < first) {
      throw AgentException.refused(
          "the last line, %d, is before the first, %d".formatted(last, first));
    }
    return Reading.of(text, first, last, READ_LINES, RESULT_CHARS, LINE_CHARS);
  }

  /**
   * Lines as they stand in a file, none of them cut; fewer where the map does not have all.
   *
   * @param path of the file, whole
   * @param first a line that the map has
   * @param last inclusive
   */
  public Span whole(String path, int first, int last) {
    MappedText text = file(tree, path);
    int from = text.atOrAfter(first);
    return text.span(from, from + last - first, "lines", Integer.MAX_VALUE);
  }

  /** Where a symbol is defined, the likeliest first, with comment and body. */
  public Spans definition(String symbol, int limit) {
    List<Span> found =
        new Definitions(tree)
            .of(symbol(symbol)).stream()
                .map(one -> one.span(DEFINITION_LINES, LINE_CHARS))
                .toList();
    return within(
        found,
        limit,
        found.isEmpty() ? "no line looks like a definition of it: try source.grep" : "");
  }

  /** The lines where a name is used and not defined, calls first. */
  public Spans usages(String symbol, int limit) {
    return within(new Usages(tree).of(symbol(symbol), LINE_CHARS), limit, "");
  }

  static Spans within(List<Span> found, int limit, String note) {
    return Spans.within(found, Math.min(limit, RESULT_SPANS), RESULT_CHARS, note);
  }

  static Symbol symbol(String name) {
    return Symbol.of(name)
        .orElseThrow(() ->
            AgentException.refused(
                name + " is no name: give one word, or words with dots between them"));
  }

  static MappedText file(SourceTree tree, String path) {
    return switch (tree.named(path)) {
      case SourceTree.Named.File found -> found.file();
      case SourceTree.Named.Unclear unclear ->
          throw AgentException.refused(
              unclear.candidates().isEmpty()
                  ? "the map has no file " + path
                  : "%s may be one of %d files: %s"
                      .formatted(
                          path,
                          unclear.candidates().size(),
                          String.join(
                              ", ", unclear.candidates().stream().limit(CANDIDATES).toList())));
    };
  }
}
