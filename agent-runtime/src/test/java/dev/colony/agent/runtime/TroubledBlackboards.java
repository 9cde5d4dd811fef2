package dev.colony.agent.runtime;

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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Blackboards whose next operations fail as if the store were away, as often as a test says. */
record TroubledBlackboards(Blackboards sound, AtomicInteger failures) implements Blackboards {

  /** What never fails: a request was made before the trouble began. */
  private static final Set<String> SOUND = Set.of("send");

  TroubledBlackboards(Blackboards sound) {
    this(sound, new AtomicInteger());
  }

  void failNext(int operations) {
    failures.set(operations);
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    return troubled(Blackboard.class, sound.open(scope, writer, policies));
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    return sound.scopes(after, limit);
  }

  @Override
  public Inbox inbox() {
    return troubled(Inbox.class, sound.inbox());
  }

  @Override
  public BlackboardCounters counters() {
    return sound.counters();
  }

  @Override
  public void close() {
    sound.close();
  }

  private <T> T troubled(Class<T> port, T target) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (proxy, method, arguments) -> {
              boolean asks = method.getReturnType() == CompletionStage.class;
              if (asks && !SOUND.contains(method.getName()) && fails()) {
                return CompletableFuture.failedStage(
                    new BlackboardException(BlackboardException.Reason.UNREACHABLE, "away"));
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }

  private boolean fails() {
    return failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }
}
