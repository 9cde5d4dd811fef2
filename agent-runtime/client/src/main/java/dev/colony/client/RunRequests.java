package dev.colony.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.dispatch.Backoff;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Stores the requests of runs, each once, and finds those that were stored before. */
final class RunRequests {

  private static final int KEY_BYTES = 20;

  private final AgentDirectory directory;

  RunRequests(AgentDirectory directory) {
    this.directory = directory;
  }

  /** The run that a request of this idempotency key is, whichever caller makes it. */
  static RunId runId(AgentId agent, String namespace, String idempotencyKey) {
    String whole = agent.persistenceId() + "\n" + namespace + "\n" + idempotencyKey;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(whole.getBytes(StandardCharsets.UTF_8));
      return new RunId("k-" + HexFormat.of().formatHex(hash, 0, KEY_BYTES));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Stores the request if there is none yet. One with another input is refused: fails with {@link
   * AgentException}.
   */
  CompletionStage<StoredRun> ask(RunPlace place, Blackboard board, RunRequest request) {
    Write write = Write.of(place.requestKey(), request.toJson()).ifAbsent();
    CompletionStage<WriteResult> sent =
        place.ownRun()
            ? board.offer(write, place.agent().persistenceId())
            : exists(place.agent()).thenCompose(there -> board.write(write));
    return sent.thenCompose(result ->
            switch (result) {
              case WriteResult.Written written ->
                  CompletableFuture.completedStage(
                      new StoredRun(place, Optional.of(written.position()), Optional.empty()));
              case WriteResult.VersionConflict before -> again(place, board, request);
            })
        .exceptionallyCompose(failure -> notStored(place, Backoff.cause(failure)));
  }

  /**
   * Finds a run that was asked for before; fails with {@link AgentException} if there is none.
   *
   * @param pause between two attempts while the blackboard is away
   */
  CompletionStage<StoredRun> find(RunPlace place, Blackboard board, Duration pause) {
    return find(place, board)
        .exceptionallyCompose(failure ->
            BlackboardRun.passing(failure)
                ? CompletableFuture.supplyAsync(
                        () -> find(place, board, pause),
                        CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS))
                    .thenCompose(again -> again)
                : CompletableFuture.failedStage(notFound(place, Backoff.cause(failure))));
  }

  private CompletionStage<StoredRun> find(RunPlace place, Blackboard board) {
    return StoredRun.read(place, board)
        .thenApply(found -> {
          if (found.gone() && !place.woken()) {
            throw AgentException.refused(
                "there is no run %s in %s: it was not asked for there, or what it left is deleted"
                    .formatted(place.runId(), place.where()));
          }
          return found;
        });
  }

  private static CompletionStage<StoredRun> notStored(RunPlace place, Throwable cause) {
    return CompletableFuture.failedStage(
        cause instanceof AgentException
                || cause instanceof BlackboardException board && board.full()
            ? cause
            : new AgentException(
                "the request of run " + place.runId() + " was not stored: " + cause.getMessage(),
                cause,
                BlackboardRun.passing(cause)));
  }

  private static Throwable notFound(RunPlace place, Throwable cause) {
    return cause instanceof AgentException
        ? cause
        : new AgentException(
            "the result of run " + place.runId() + " cannot be read: " + cause.getMessage(),
            cause,
            false);
  }

  /** The run if it was asked for before; with another input, fails as {@link #ask} does. */
  CompletionStage<Optional<StoredRun>> before(
      RunPlace place, Blackboard board, RunRequest request) {
    return board
        .readAll(place.keys())
        .thenApply(found ->
            found.stream()
                .filter(entry -> entry.key().equals(place.requestKey()))
                .findFirst()
                .map(before -> {
                  checkSame(place, before, request);
                  return StoredRun.of(place, found);
                }));
  }

  private CompletionStage<StoredRun> again(RunPlace place, Blackboard board, RunRequest request) {
    return before(place, board, request)
        .thenCompose(before -> {
          StoredRun origin =
              before.orElseThrow(() ->
                  new AgentException(
                      "the request of run " + place.runId() + " has just been deleted",
                      null,
                      true));
          return origin.refused()
              ? anew(place, board, request).thenCompose(done -> StoredRun.read(place, board))
              : CompletableFuture.completedStage(origin);
        });
  }

  /**
   * Asks again for a run that was never accepted: takes its result away and sends the request, in
   * one operation. Nothing happens if that was done meanwhile.
   *
   * @param request as it is to stand from now on
   */
  static CompletionStage<Boolean> anew(RunPlace place, Blackboard board, RunRequest request) {
    return board.transaction(tx ->
        StoredRun.read(place, tx)
            .thenCompose(found ->
                found.refused()
                    ? tx.delete(place.resultKey())
                        .thenCompose(gone ->
                            tx.offer(
                                Write.of(place.requestKey(), request.toJson()),
                                place.agent().persistenceId()))
                        .thenApply(sent -> true)
                    : CompletableFuture.completedStage(false)));
  }

  private static void checkSame(RunPlace place, Entry before, RunRequest request) {
    if (!same(before.value().path("input"), request.input())) {
      throw AgentException.refused(
          "run %s in %s was asked for by %s with another input"
              .formatted(place.runId(), place.where(), before.createdBy()));
    }
  }

  /**
   * What no agent will ever take is not stored: fails with {@link AgentException} if there is no
   * such agent.
   */
  CompletionStage<Void> exists(AgentId agent) {
    return directory
        .find(agent)
        .thenAccept(found -> {
          if (found.isEmpty()) {
            throw AgentException.refused("there is no agent " + agent);
          }
        });
  }

  /** Whether two values are equal as text, in whichever types a program holds their numbers. */
  private static boolean same(JsonNode one, JsonNode other) {
    try {
      return JsonValues.parse(one.toString()).equals(JsonValues.parse(other.toString()));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
