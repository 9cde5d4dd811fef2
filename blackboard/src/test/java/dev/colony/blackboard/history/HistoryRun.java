package dev.colony.blackboard.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Runs programs on threads at the same time and writes down what their callers saw. */
final class HistoryRun {

  private static final RetryPolicy FEW =
      new RetryPolicy(6, Duration.ofMillis(1), Duration.ofMillis(4));
  private static final int PATIENCE_SECONDS = 60;
  private static final int PAGE = 1_000;

  private final Function<String, Blackboard> boards;
  private final AtomicLong clock = new AtomicLong();
  private final AtomicBoolean retried = new AtomicBoolean();

  /**
   * @param boards the board of the scope for a writer's name
   */
  HistoryRun(Function<String, Blackboard> boards) {
    this.boards = boards;
  }

  History run(List<List<Program>> threads) throws Exception {
    List<Execution> executions = new ArrayList<>();
    CountDownLatch start = new CountDownLatch(threads.size());
    try (ExecutorService steps = Executors.newFixedThreadPool(4);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<Execution>>> running = new ArrayList<>();
      for (int t = 0; t < threads.size(); t++) {
        String thread = "t" + t;
        List<Program> programs = threads.get(t);
        running.add(
            callers.submit(() -> {
              start.countDown();
              start.await();
              return runAll(thread, programs, steps);
            }));
      }
      for (Future<List<Execution>> one : running) {
        executions.addAll(one.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
      }
    }
    return new History(executions, log(), retried.get());
  }

  private List<Execution> runAll(String thread, List<Program> programs, ExecutorService steps) {
    List<Execution> executions = new ArrayList<>();
    for (int p = 0; p < programs.size(); p++) {
      Program program = programs.get(p);
      String name = thread + "-" + p;
      executions.add(
          program.transaction()
              ? transaction(name, program.steps(), steps)
              : call(name, program.steps().getFirst()));
    }
    return executions;
  }

  private Execution transaction(String name, List<Step> steps, ExecutorService threads) {
    long begun = clock.incrementAndGet();
    List<Attempt> made = new ArrayList<>();
    Execution.Outcome outcome;
    Attempt last;
    try {
      last =
          await(
              boards
                  .apply(name)
                  .transaction(
                      tx -> {
                        Attempt attempt = new Attempt(name, threads);
                        made.add(attempt);
                        return attempt.run(tx, steps);
                      },
                      FEW));
      outcome = Execution.Outcome.COMMITTED;
    } catch (CompletionException failure) {
      last = made.getLast();
      outcome = outcome(failure);
    }
    retried.compareAndSet(false, made.size() > 1);
    return new Execution(
        name,
        begun,
        clock.incrementAndGet(),
        outcome,
        last.reads(),
        last.writes(),
        Map.of(),
        last.complaints());
  }

  private static Execution.Outcome outcome(CompletionException failure) {
    return switch (failure.getCause()) {
      case Attempt.Aborted aborted -> Execution.Outcome.ABORTED;
      case BlackboardException gaveUp
          when gaveUp.reason() == BlackboardException.Reason.CONCURRENT_MODIFICATION ->
          Execution.Outcome.GAVE_UP;
      default -> throw failure;
    };
  }

  private Execution call(String name, Step step) {
    Blackboard board = boards.apply(name);
    Map<String, Optional<JsonNode>> writes = new LinkedHashMap<>();
    Map<String, Execution.Answer> answers = new LinkedHashMap<>();
    List<Observed> reads = new ArrayList<>();
    long begun = clock.incrementAndGet();
    switch (step) {
      case Step.Read read when read.keys().size() == 1 ->
          reads.add(Observed.of(read.keys().getFirst(), await(board.read(read.keys().getFirst()))));
      case Step.Read read -> {
        var found = await(board.readAll(read.keys()));
        read.keys()
            .forEach(key ->
                reads.add(
                    Observed.of(key, found.stream().filter(e -> e.key().equals(key)).findFirst())));
      }
      case Step.Put put -> put(name, board, put.keys(), writes, answers);
      case Step.Remove remove -> {
        writes.put(remove.key(), Optional.empty());
        answers.put(
            remove.key(),
            new Execution.Answer(await(board.delete(remove.key())), Optional.empty()));
      }
      case Step.Abort abort -> throw new IllegalArgumentException("only a transaction aborts");
    }
    long ended = clock.incrementAndGet();
    return new Execution(
        name, begun, ended, Execution.Outcome.COMMITTED, reads, writes, answers, List.of());
  }

  private static void put(
      String name,
      Blackboard board,
      List<String> keys,
      Map<String, Optional<JsonNode>> writes,
      Map<String, Execution.Answer> answers) {
    List<Write> list = new ArrayList<>();
    for (String key : keys) {
      JsonNode value = Attempt.value(name, list.size(), 0);
      writes.put(key, Optional.of(value));
      list.add(Lifetime.of(Write.of(key, value)));
    }
    List<WriteResult.Written> written =
        list.size() == 1
            ? List.of((WriteResult.Written) await(board.write(list.getFirst())))
            : ((CommitResult.Committed) await(board.writeAll(list))).written();
    for (int i = 0; i < keys.size(); i++) {
      answers.put(keys.get(i), new Execution.Answer(true, Optional.of(written.get(i).position())));
    }
  }

  private List<BlackboardEvent> log() {
    Blackboard board = boards.apply("reader");
    List<BlackboardEvent> log = new ArrayList<>();
    List<BlackboardEvent> page;
    do {
      Position after = log.isEmpty() ? Position.BEGINNING : log.getLast().position();
      page = await(board.history(EventFilter.all(), after, PAGE));
      log.addAll(page);
    } while (page.size() == PAGE);
    return log;
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }
}
