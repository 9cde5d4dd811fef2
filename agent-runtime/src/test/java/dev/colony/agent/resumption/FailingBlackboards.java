package dev.colony.agent.resumption;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.policy.BoardPolicies;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Blackboards of which one operation fails, as a test says: all behind it fail too, as those of
 * somebody who has died.
 *
 * @param left operations that are carried out before the one that is not
 */
record FailingBlackboards(Blackboards sound, AtomicInteger left) implements Blackboards {

  FailingBlackboards(Blackboards sound) {
    this(sound, new AtomicInteger(Integer.MAX_VALUE));
  }

  void dieAfter(int operations) {
    left.set(operations);
  }

  void live() {
    left.set(Integer.MAX_VALUE);
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    Blackboard board = sound.open(scope, writer, policies);
    return (Blackboard)
        Proxy.newProxyInstance(
            Blackboard.class.getClassLoader(),
            new Class<?>[] {Blackboard.class},
            (proxy, method, arguments) -> {
              if (method.getReturnType() == CompletionStage.class && left.getAndDecrement() <= 0) {
                return CompletableFuture.failedStage(
                    new BlackboardException(BlackboardException.Reason.UNREACHABLE, "dead"));
              }
              try {
                return method.invoke(board, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    return sound.scopes(after, limit);
  }

  @Override
  public Inbox inbox() {
    return sound.inbox();
  }

  @Override
  public BlackboardCounters counters() {
    return sound.counters();
  }

  @Override
  public void close() {
    sound.close();
  }
}
