package dev.colony.blackboard.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One run of a transaction's body, with what it read and left to be done. */
final class Attempt {

  /** The failure that a body chooses. */
  static final class Aborted extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final String name;
  private final Executor threads;
  private final List<Observed> reads = new ArrayList<>();
  private final Map<String, Optional<JsonNode>> writes = new LinkedHashMap<>();
  private final List<String> complaints = new ArrayList<>();
  private long digest = 1;
  private int made;

  /**
   * @param threads each step is a task of its own there, so that the steps of transactions mix
   */
  Attempt(String name, Executor threads) {
    this.name = name;
    this.threads = threads;
  }

  List<Observed> reads() {
    return reads;
  }

  Map<String, Optional<JsonNode>> writes() {
    return writes;
  }

  List<String> complaints() {
    return complaints;
  }

  CompletionStage<Attempt> run(Transaction tx, List<Step> steps) {
    CompletionStage<?> done = CompletableFuture.completedStage(null);
    for (Step step : steps) {
      done = done.thenComposeAsync(before -> take(tx, step), threads);
    }
    return done.thenApply(all -> this);
  }

  private CompletionStage<?> take(Transaction tx, Step step) {
    return switch (step) {
      case Step.Read read when read.keys().size() == 1 ->
          tx.read(read.keys().getFirst()).thenAccept(found -> saw(read.keys().getFirst(), found));
      case Step.Read read ->
          tx.readAll(read.keys()).thenAccept(found -> sawAll(read.keys(), found));
      case Step.Put put -> {
        CompletionStage<?> done = CompletableFuture.completedStage(null);
        for (String key : put.keys()) {
          done = done.thenCompose(before -> tx.write(Lifetime.of(Write.of(key, value(key)))));
        }
        yield done;
      }
      case Step.Remove remove -> {
        writes.put(remove.key(), Optional.empty());
        yield tx.delete(remove.key());
      }
      case Step.Abort abort -> CompletableFuture.failedStage(new Aborted());
    };
  }

  private JsonNode value(String key) {
    JsonNode value = value(name, ++made, digest);
    writes.put(key, Optional.of(value));
    return value;
  }

  /** Unique, and made of what was read before. */
  static JsonNode value(String name, int number, long digest) {
    ObjectNode value = JsonNodeFactory.instance.objectNode();
    return value.put("by", name + "/" + number).put("of", Long.toHexString(digest));
  }

  private void sawAll(List<String> keys, List<Entry> found) {
    Map<String, Entry> byKey =
        found.stream().collect(Collectors.toMap(Entry::key, Function.identity()));
    keys.forEach(key -> saw(key, Optional.ofNullable(byKey.get(key))));
  }

  private void saw(String key, Optional<Entry> found) {
    digest = 31 * digest + found.map(entry -> entry.value().hashCode()).orElse(7);
    Optional<JsonNode> own = writes.get(key);
    if (own == null) {
      reads.add(Observed.of(key, found));
    } else if (!own.equals(found.map(Entry::value))) {
      complaints.add(
          "own write not seen: %s wrote %s to %s and read %s".formatted(name, own, key, found));
    }
  }
}
