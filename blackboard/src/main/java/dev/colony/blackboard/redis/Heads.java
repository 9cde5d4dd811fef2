package dev.colony.blackboard.redis;

import dev.colony.blackboard.Position;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks for the heads of many logs with few commands, one at a time for a bucket: what is asked for
 * while one is under way goes together into the next. So a sweep over 10,000 scopes costs Redis
 * some dozens of commands.
 */
final class Heads {

  private static final int MOST = 1_000;

  private static final RedisScript HEADS =
      RedisScript.resource(Heads.class, "heads.lua", ScriptOutputType.MULTI);

  private record Question(String scope, CompletableFuture<Position> answer) {}

  private static final class Bucket {
    final Queue<Question> waiting = new ArrayDeque<>();
    boolean asking;
  }

  private final RedisConnections connections;
  private final List<Bucket> buckets = new ArrayList<>();

  Heads(RedisConnections connections, int buckets) {
    this.connections = connections;
    for (int i = 0; i < buckets; i++) {
      this.buckets.add(new Bucket());
    }
  }

  /** The head of a scope's log, not older than this call. */
  CompletionStage<Position> of(ScopeKeys keys) {
    Question question = new Question(keys.base(), new CompletableFuture<>());
    Bucket bucket = buckets.get(keys.bucket());
    synchronized (bucket) {
      bucket.waiting.add(question);
    }
    ask(bucket);
    return question.answer();
  }

  private void ask(Bucket bucket) {
    List<Question> questions = new ArrayList<>();
    synchronized (bucket) {
      if (bucket.asking || bucket.waiting.isEmpty()) {
        return;
      }
      bucket.asking = true;
      while (!bucket.waiting.isEmpty() && questions.size() < MOST) {
        questions.add(bucket.waiting.remove());
      }
    }
    String[] scopes = questions.stream().map(Question::scope).toArray(String[]::new);
    RedisFailure.translate(HEADS.<List<Object>>run(connections.commands(), scopes))
        .whenComplete((heads, failure) -> {
          synchronized (bucket) {
            bucket.asking = false;
          }
          ask(bucket);
          for (int i = 0; i < scopes.length; i++) {
            CompletableFuture<Position> answer = questions.get(i).answer();
            if (failure == null) {
              answer.complete(RedisEventLog.position((byte[]) heads.get(i)));
            } else {
              answer.completeExceptionally(failure);
            }
          }
        });
  }
}
