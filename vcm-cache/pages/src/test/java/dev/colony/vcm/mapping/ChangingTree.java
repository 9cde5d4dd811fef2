package dev.colony.vcm.mapping;

import dev.colony.vcm.source.CoChange;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;

/**
 * A tree in memory whose files can be changed, and that tells how often each was read; and mappings
 * of it.
 */
final class ChangingTree implements ContextPageSource {

  /** What {@code holdBytes} is where all text is held. */
  static final long ALL = 1 << 20;

  private static final GroupingSettings SETTINGS = new GroupingSettings(160, 3);

  final Map<String, String> files = new TreeMap<>();
  private final Map<String, Integer> versions = new TreeMap<>();
  final List<String> read = Collections.synchronizedList(new ArrayList<>());
  CoChange coChange = CoChange.NONE;

  ChangingTree put(String path, String text) {
    files.put(path, text);
    versions.merge(path, 1, Integer::sum);
    return this;
  }

  /** Has the files of a state, and no others; those that are as they were are not written again. */
  void becomes(Map<String, String> state) {
    files.keySet().removeIf(path -> !state.containsKey(path));
    state.forEach((path, text) -> {
      if (!text.equals(files.get(path))) {
        put(path, text);
      }
    });
  }

  @Override
  public SourceReading read(SourceProgress progress) {
    return new SourceReading.Read(
        "tree",
        files.keySet().stream()
            .map(path -> new SourceFile(path, "v" + versions.get(path), () -> text(path)))
            .toList(),
        List.of(),
        List.of(),
        coChange,
        Optional.of("tree:"));
  }

  @Override
  public Optional<FileText> file(String path) {
    return Optional.of(text(path));
  }

  private FileText text(String path) {
    read.add(path);
    String text = files.get(path);
    return text == null
        ? new FileText.Left(FileText.Why.UNREADABLE)
        : text.isEmpty()
            ? new FileText.Left(FileText.Why.EMPTY)
            : new FileText.Text(text, text.length());
  }

  static SourceMapping mapping(ContextPageSource source, long holdBytes) {
    return mapping(source, holdBytes, SETTINGS);
  }

  static SourceMapping mapping(
      ContextPageSource source, long holdBytes, GroupingSettings settings) {
    return new PageMapper(
            settings,
            new SourceSettings(1 << 20, 0, 1 << 20, 1000, 1 << 20, holdBytes, 2),
            new TokenCounter())
        .of(source);
  }

  static MappingResult.Mapped map(SourceMapping mapping) {
    return (MappingResult.Mapped) mapping.map(SourceProgress.SILENT);
  }

  static ChangingTree large() {
    ChangingTree tree = new ChangingTree();
    for (int directory = 0; directory < 6; directory++) {
      for (int file = 0; file < 6; file++) {
        tree.put("d" + directory + "/F" + file + ".java", code("F" + file, 10 + file));
      }
    }
    return tree;
  }

  static String code(String name, int lines) {
    return "class "
        + name
        + " {\n"
        + IntStream.range(0, lines)
            .mapToObj(i -> "  int field" + i + " = " + i + ";\n")
            .collect(Collectors.joining())
        + "}\n";
  }

  /** States of a tree, one after another. */
  static final class States implements ArbitrarySupplier<List<Map<String, String>>> {
    @Override
    public Arbitrary<List<Map<String, String>>> get() {
      Arbitrary<String> path =
          Combinators.combine(
                  Arbitraries.of("", "a/", "a/b/", "src/main/java/", "src/test/java/"),
                  Arbitraries.of("Foo", "FooTest", "Bar", "Baz", "Deep"))
              .as((folder, name) -> folder + name + ".java");
      Arbitrary<String> text =
          Arbitraries.of("import Foo;\n", "Bar x;\n", "}\n", "\n", "  return Baz.of(y);\n")
              .list()
              .ofMaxSize(40)
              .map(lines -> String.join("", lines));
      return Arbitraries.maps(path, text)
          .ofMinSize(1)
          .ofMaxSize(8)
          .list()
          .ofMinSize(2)
          .ofMaxSize(4);
    }
  }

  /** How much text a mapping may hold: none, some of it, all. */
  static final class Held implements ArbitrarySupplier<Long> {
    @Override
    public Arbitrary<Long> get() {
      return Arbitraries.of(0L, 300L, ALL);
    }
  }
}
