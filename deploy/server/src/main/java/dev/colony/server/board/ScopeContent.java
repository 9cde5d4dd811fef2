package dev.colony.server.board;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A scope and what it holds. */
public record ScopeContent(Scope scope, ScopeStatistics statistics) {

  private static final String READER = "cli";
  private static final int SCOPES_AT_ONCE = 256;

  /**
   * Some of the scopes in the order of their paths, with what each holds. Blocks.
   *
   * @param tenant whose scopes; empty for all tenants'
   * @param after the last one of the page before
   * @param limit how many at most; fewer come only if there are no more
   */
  public static List<ScopeContent> list(
      Blackboards blackboards, Optional<String> tenant, Optional<Scope> after, int limit) {
    List<ScopeContent> found = new ArrayList<>();
    Optional<Scope> last = after;
    while (found.size() < limit) {
      List<Scope> page = blackboards.scopes(last, SCOPES_AT_ONCE).toCompletableFuture().join();
      List<Scope> wanted =
          page.stream()
              .filter(scope -> tenant.isEmpty() || tenant.get().equals(scope.tenant()))
              .limit(limit - found.size())
              .toList();
      found.addAll(contents(blackboards, wanted));
      if (page.size() < SCOPES_AT_ONCE) {
        break;
      }
      last = Optional.of(page.getLast());
    }
    return found;
  }

  private static List<ScopeContent> contents(Blackboards blackboards, List<Scope> scopes) {
    List<CompletableFuture<ScopeContent>> asked =
        scopes.stream()
            .map(scope ->
                blackboards
                    .open(scope, READER)
                    .statistics()
                    .thenApply(statistics -> new ScopeContent(scope, statistics))
                    .toCompletableFuture())
            .toList();
    return asked.stream().map(CompletableFuture::join).toList();
  }
}
