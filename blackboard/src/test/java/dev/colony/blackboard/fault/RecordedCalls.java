package dev.colony.blackboard.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Clients of a few keys in some scopes, each with one call under way. A call is recorded with when
 * it began and ended and what it was answered, in the form that {@code src/test/go/history} reads.
 */
final class RecordedCalls {

  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final int CLIENTS = 5;

  private final List<Client> clients = new ArrayList<>();
  private final Collection<ObjectNode> lines = new ConcurrentLinkedQueue<>();

  /**
   * @param blackboards which clients take in turn
   */
  RecordedCalls(List<? extends Blackboards> blackboards, List<Scope> scopes, long seed) {
    Random seeds = new Random(seed);
    for (Scope scope : scopes) {
      for (int n = 0; n < CLIENTS; n++) {
        Blackboard board =
            blackboards.get(n % blackboards.size()).open(scope, "client-" + clients.size());
        clients.add(new Client(board, clients.size(), new Random(seeds.nextLong())));
      }
    }
  }

  int clients() {
    return clients.size();
  }

  /** How many calls are answered, or have failed. */
  int done() {
    return clients.stream().mapToInt(client -> client.done).sum();
  }

  /** Lets each client make so many more calls. */
  void allow(int calls) {
    clients.forEach(client -> client.allowed.release(calls));
  }

  /** Has clients make the calls that they are allowed while this runs, so many each in all. */
  void run(int each, Runnable meanwhile) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Void>> running =
          clients.stream().map(client -> threads.submit(() -> client.run(each))).toList();
      meanwhile.run();
      for (Future<Void> one : running) {
        one.get();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    } catch (ExecutionException broken) {
      throw new AssertionError("a call failed for good", broken.getCause());
    }
  }

  /** The calls of all clients, one a line, with what every key holds at the end. */
  List<ObjectNode> recorded() {
    clients.forEach(Client::readAll);
    return List.copyOf(lines);
  }

  private final class Client {

    private final Blackboard board;
    private final int number;
    private final Random random;
    private final Semaphore allowed = new Semaphore(0);
    private final Map<String, Long> versions = new ConcurrentHashMap<>();
    private volatile int done;

    private Client(Blackboard board, int number, Random random) {
      this.board = board;
      this.number = number;
      this.random = random;
    }

    private Void run(int calls) throws InterruptedException {
      for (int n = 0; n < calls; n++) {
        if (!allowed.tryAcquire(2 * Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError("the calls that are allowed do not come");
        }
        call(number + "-" + n);
        done++;
      }
      return null;
    }

    private void call(String name) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      String other = KEYS.get(random.nextInt(KEYS.size()));
      TextNode value = TextNode.valueOf(name);
      switch (random.nextInt(10)) {
        case 0, 1 -> write(name, Write.of(key, value));
        case 2, 3 ->
            write(name, Write.of(key, value).expectVersion(versions.getOrDefault(key, 0L)));
        case 4 -> writeAll(name, List.of(Write.of("a", value), Write.of("c", value)));
        case 5 -> delete(name, key);
        case 6, 7 -> transaction(name, key, other);
        case 8 -> read(name, List.of(key));
        default -> read(name, KEYS);
      }
    }

    private void readAll() {
      read(number + "-end", KEYS);
    }

    private void write(String name, Write write) {
      ObjectNode asked = line(name);
      asked.putObject("write").put(write.key(), 0);
      write
          .expectedVersion()
          .ifPresent(version -> asked.putObject("expect").put(write.key(), version));
      record(
          asked,
          board.write(write),
          result -> {
            switch (result) {
              case WriteResult.Written written -> {
                versions.put(write.key(), written.version());
                asked.putObject("write").put(write.key(), written.version());
              }
              case WriteResult.VersionConflict conflict -> {
                versions.put(write.key(), conflict.actualVersion());
                asked.put("conflict", conflict.actualVersion());
              }
            }
          });
    }

    private void writeAll(String name, List<Write> writes) {
      ObjectNode asked = line(name);
      ObjectNode versions = asked.putObject("write");
      writes.forEach(write -> versions.put(write.key(), 0));
      record(
          asked,
          board.writeAll(writes),
          result -> {
            CommitResult.Committed committed = (CommitResult.Committed) result;
            for (int i = 0; i < writes.size(); i++) {
              versions.put(writes.get(i).key(), committed.written().get(i).version());
            }
          });
    }

    private void delete(String name, String key) {
      ObjectNode asked = line(name);
      asked.putObject("delete").putNull(key);
      record(asked, board.delete(key), there -> asked.putObject("delete").put(key, there));
    }

    /** Reads two keys and writes the first of them. */
    private void transaction(String name, String key, String other) {
      List<String> keys = key.equals(other) ? List.of(key) : List.of(key, other);
      ObjectNode asked = line(name);
      asked.putObject("write").put(key, 0);
      CompletionStage<List<Entry>> done =
          board.transaction(tx ->
              tx.readAll(keys)
                  .thenCompose(found ->
                      tx.write(Write.of(key, TextNode.valueOf(name))).thenApply(written -> found)));
      record(asked, done, found -> asked.set("read", found(keys, found)));
    }

    private void read(String name, List<String> keys) {
      ObjectNode asked = line(name);
      asked.putObject("read");
      record(asked, board.readAll(keys), found -> asked.set("read", found(keys, found)));
    }

    private ObjectNode line(String name) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("scope", board.scope().path())
          .put("client", number)
          .put("name", name)
          .put("begin", System.nanoTime());
    }

    private <T> void record(ObjectNode line, CompletionStage<T> call, Consumer<T> answered) {
      try {
        answered.accept(call.toCompletableFuture().join());
        line.put("end", System.nanoTime());
      } catch (CompletionException failure) {
        if (!(failure.getCause() instanceof BlackboardException known && known.retryable())) {
          throw failure;
        }
        if (known.reason() == Reason.CONCURRENT_MODIFICATION || line.has("read")) {
          return;
        }
      }
      lines.add(line);
    }
  }

  private static JsonNode found(List<String> keys, List<Entry> found) {
    Map<String, Entry> byKey =
        found.stream().collect(Collectors.toMap(Entry::key, Function.identity()));
    ObjectNode read = JsonNodeFactory.instance.objectNode();
    for (String key : keys) {
      Optional<Entry> entry = Optional.ofNullable(byKey.get(key));
      entry.ifPresentOrElse(
          there ->
              read.putObject(key).put("by", there.value().asText()).put("version", there.version()),
          () -> read.putNull(key));
    }
    return read;
  }
}
