package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.server.Fsync;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All that the documentation says in figures: the load under each fsync mode, and the sizes. */
public record BoardFigures(
    List<BoardReport> loads,
    SubscriptionFigures subscriptions,
    KeyFigures keys,
    ValueFigures value) {

  /**
   * What is measured besides the load.
   *
   * @param scopes with a subscriber each
   * @param keys in one scope
   * @param valueBytes of a large value
   */
  public record Sizes(int scopes, int keys, int valueBytes) {}

  /**
   * Measures it all, each part on a server of its own. Blocks.
   *
   * @param directory takes the servers' data
   */
  public static BoardFigures measure(Path directory, Config config, BoardLoad load, Sizes sizes) {
    List<BoardReport> loads = new ArrayList<>();
    for (Fsync fsync : Fsync.values()) {
      loads.add(
          new BoardBenchmark(directory.resolve(fsync.word()), config).run(load.withFsync(fsync)));
    }
    try (BenchServer bench = new BenchServer(directory.resolve("sizes"), config, Fsync.ALWAYS)) {
      return new BoardFigures(
          loads,
          SubscriptionFigures.measure(bench, sizes.scopes()),
          KeyFigures.measure(bench, sizes.keys()),
          ValueFigures.measure(bench, sizes.valueBytes()));
    }
  }

  /** Whether nothing was lost or doubled anywhere. */
  public boolean whole() {
    return loads.stream().allMatch(BoardReport::whole)
        && subscriptions.tally().whole()
        && keys.whole();
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode modes = json.putArray("loads");
    loads.forEach(one -> modes.add(one.json()));
    subscriptions.addTo(json.putObject("subscriptions"));
    keys.addTo(json.putObject("keys"));
    value.addTo(json.putObject("value"));
    return json.put("whole", whole()).toString();
  }

  /** Two tables in Markdown. */
  public String toMarkdown() {
    BoardReport any = loads.getFirst();
    StringBuilder text =
        new StringBuilder(
            "%,d clients, %,d writes of %,d bytes, %,d keys, Redis %s\n\n"
                .formatted(
                    any.load().clients(),
                    any.load().ops(),
                    any.load().valueBytes(),
                    any.load().keys(),
                    any.redisVersion()));
    byMode(text, "fsync", one -> "`" + one.load().fsync().word() + "`");
    text.append("|---".repeat(1 + loads.size())).append("|\n");
    byMode(text, "writes with events/s", one -> Figures.text(one.full().writesPerSecond()));
    byMode(text, "ceiling/s", one -> Figures.text(one.ceiling().writesPerSecond()));
    byMode(text, "ratio", one -> Figures.text(one.ratio()));
    byMode(
        text,
        "processor time a write, client and Redis",
        one ->
            "%s µs, %s µs"
                .formatted(
                    Figures.text(one.full().clientMicros()),
                    Figures.text(one.full().serverMicros())));
    byMode(text, "write to answer", one -> one.full().write().toText());
    byMode(text, "event latency, full load", one -> one.full().event().toText());
    byMode(text, "event latency, half load", one -> one.half().event().toText());
    byMode(text, "plain pub/sub, half load", one -> one.half().raw().toText());
    byMode(text, "p99 ratio", one -> Figures.text(one.half().p99Ratio()));
    text.append("\n| what | figure |\n|---|---|\n");
    subscriptions.rows().forEach(row -> row(text, List.of(row)));
    keys.rows().forEach(row -> row(text, List.of(row)));
    value.rows().forEach(row -> row(text, List.of(row)));
    return text.toString().stripTrailing();
  }

  private void byMode(StringBuilder text, String name, Function<BoardReport, String> figure) {
    List<String> cells = new ArrayList<>(List.of(name));
    loads.forEach(one -> cells.add(figure.apply(one)));
    row(text, cells);
  }

  private static void row(StringBuilder text, List<String> cells) {
    text.append(cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")));
  }
}
