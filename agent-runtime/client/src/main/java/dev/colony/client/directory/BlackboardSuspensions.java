package dev.colony.client.directory;

import dev.colony.agent.AgentException;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.SuspendedScopes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * What is suspended as a whole, in one entry of a scope of the system's, to which no tenant writes:
 * so that one read tells a node of all.
 */
public record BlackboardSuspensions(Blackboards blackboards) implements ScopeSuspensions {

  private static final Scope SCOPE = Scope.tenant("system").namespace("suspensions");
  private static final String KEY = "scopes";
  private static final int LONGEST_REASON = 1_000;

  @Override
  public CompletableFuture<Void> suspend(Scope scope, String reason) {
    ScopeSuspension.check(scope);
    String why = Text.line(Text.check("the reason", reason), LONGEST_REASON);
    return change(before -> {
      if (before.stream().anyMatch(one -> one.scope().equals(scope))) {
        return before;
      }
      if (before.size() >= MOST) {
        throw AgentException.refused(
            "%d scopes are suspended, as many as may be: resume one of them".formatted(MOST));
      }
      List<ScopeSuspension> more = new ArrayList<>(before);
      more.add(new ScopeSuspension(scope, why, blackboards.clock().instant()));
      // A scope's path begins with that of the scope around it.
      more.sort(Comparator.comparing(one -> one.scope().path()));
      return more;
    });
  }

  @Override
  public CompletableFuture<Void> resume(Scope scope) {
    ScopeSuspension.check(scope);
    return change(before -> before.stream().filter(one -> !one.scope().equals(scope)).toList());
  }

  @Override
  public CompletableFuture<List<ScopeSuspension>> list(String tenant) {
    return all()
        .thenApply(all -> all.stream().filter(one -> one.scope().tenant().equals(tenant)).toList())
        .toCompletableFuture();
  }

  /** Those of all tenants. One read. */
  public CompletionStage<List<ScopeSuspension>> all() {
    return board().read(KEY).thenApply(BlackboardSuspensions::scopes);
  }

  private CompletableFuture<Void> change(UnaryOperator<List<ScopeSuspension>> change) {
    return board()
        .transaction(tx ->
            tx.read(KEY)
                .thenCompose(found -> {
                  List<ScopeSuspension> before = scopes(found);
                  List<ScopeSuspension> after = change.apply(before);
                  return after.equals(before)
                      ? CompletableFuture.<Void>completedStage(null)
                      : tx.write(Write.of(KEY, WireJson.write(new SuspendedScopes(after))));
                }))
        .toCompletableFuture();
  }

  private static List<ScopeSuspension> scopes(Optional<Entry> found) {
    return found
        .map(entry -> WireJson.read(entry.value(), SuspendedScopes.class).scopes())
        .orElse(List.of());
  }

  private Blackboard board() {
    return blackboards.open(SCOPE, "suspensions");
  }
}
