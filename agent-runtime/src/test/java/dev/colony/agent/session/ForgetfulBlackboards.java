package dev.colony.agent.session;

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
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** Blackboards of which some transactions take effect and fail to say so, as over a lost line. */
record ForgetfulBlackboards(Blackboards sound, BooleanSupplier forgets) implements Blackboards {

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    Blackboard board = sound.open(scope, writer, policies);
    return (Blackboard)
        Proxy.newProxyInstance(
            Blackboard.class.getClassLoader(),
            new Class<?>[] {Blackboard.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(board, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
              return method.getName().equals("transaction") && forgets.getAsBoolean()
                  ? forgotten((CompletionStage<?>) result)
                  : result;
            });
  }

  private static CompletionStage<Object> forgotten(CompletionStage<?> done) {
    return done.thenApply(answer -> {
      throw new BlackboardException(BlackboardException.Reason.TIMEOUT, "no answer in time");
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
