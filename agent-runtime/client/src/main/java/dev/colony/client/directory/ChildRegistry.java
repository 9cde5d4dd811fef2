package dev.colony.client.directory;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.DirectoryEntry.DirectoryKeys;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How agents come to be children of others, and cease to be.
 *
 * <p>A parent's list of children, the number of its tree and the entries of the new children change
 * in one transaction, which also reads whether the parent lives and whether the names are free. So
 * the bounds hold however many nodes spawn at the same time, a repeated call changes nothing, and
 * an agent that has ended gets no child any more: a reader of its list after its end has been
 * announced sees all of them. Thread-safe; stages fail as the blackboard does.
 */
public final class ChildRegistry {

  /** Agents whose entries are changed together at most. */
  private static final int AT_ONCE = 250;

  private final Blackboards blackboards;
  private final HomeResolver homes;
  private final ChildrenSettings settings;
  private final Together<Scope, News> ends = new Together<>(AT_ONCE, this::announce);

  /**
   * @param homes where new agents are to live
   */
  public ChildRegistry(Blackboards blackboards, HomeResolver homes, ChildrenSettings settings) {
    this.blackboards = blackboards;
    this.homes = homes;
    this.settings = settings;
  }

  /**
   * Enters children of an agent and has them started, all or none; those that exist already stay.
   * Fails with {@link AgentException} if a bound is reached, a name is taken or the parent has
   * ended.
   */
  public CompletionStage<List<AgentId>> enter(
      AgentId parent, Map<String, AgentBlueprint> children, OnParentStop rule) {
    Map<AgentId, AgentBlueprint> wanted = new LinkedHashMap<>();
    children.forEach((name, blueprint) ->
        wanted.put(new AgentId(parent.tenant(), parent.colony(), name), blueprint));
    return board(parent)
        .transaction(tx ->
            tx.read(parent.name())
                .thenCompose(found -> {
                  DirectoryEntry entry =
                      found
                          .map(DirectoryEntry::of)
                          .orElseThrow(() -> AgentException.refused("there is no agent " + parent));
                  return enter(tx, parent, lineage(parent, entry, rule), wanted);
                }))
        .thenApply(done -> List.copyOf(wanted.keySet()));
  }

  private CompletionStage<Void> enter(
      Transaction tx, AgentId parent, Lineage lineage, Map<AgentId, AgentBlueprint> wanted) {
    String tree = DirectoryKeys.tree(lineage.root().name());
    List<String> keys =
        new ArrayList<>(
            List.of(DirectoryKeys.state(parent.name()), DirectoryKeys.brood(parent.name()), tree));
    wanted.keySet().forEach(child -> keys.add(child.name()));
    return tx.readAll(keys)
        .thenCompose(entries -> {
          Map<String, Entry> found = byKey(entries);
          Optional.ofNullable(found.get(DirectoryKeys.state(parent.name())))
              .map(AgentStatus::of)
              .filter(status -> status.state().terminal())
              .ifPresent(status -> {
                throw AgentException.refused(
                    parent + " is " + status.state() + ": it spawns no more");
              });
          Map<AgentId, AgentBlueprint> fresh = new LinkedHashMap<>(wanted);
          fresh.keySet().removeIf(child -> stands(found.get(child.name()), child, wanted, parent));
          if (fresh.isEmpty()) {
            return CompletableFuture.completedStage(null);
          }
          ChildList brood = brood(found.get(DirectoryKeys.brood(parent.name())));
          int inTree = found.containsKey(tree) ? found.get(tree).value().asInt() : 0;
          check(parent, lineage, brood.living().size() + fresh.size(), inTree + fresh.size());
          Map<String, OnParentStop> born = new LinkedHashMap<>();
          fresh.keySet().forEach(child -> born.put(child.name(), lineage.onParentStop()));
          List<CompletionStage<Void>> writes = new ArrayList<>();
          writes.add(
              tx.write(Write.of(DirectoryKeys.brood(parent.name()), brood.born(born).toJson())));
          writes.add(tx.write(Write.value(tree, inTree + fresh.size())));
          fresh.forEach((child, blueprint) ->
              writes.add(
                  tx.send(
                      AgentDirectory.entering(
                          child,
                          homes.homeOf(child, blueprint),
                          blueprint,
                          Optional.of(lineage),
                          Optional.empty()),
                      child.persistenceId())));
          return all(writes);
        });
  }

  private static Lineage lineage(AgentId parent, DirectoryEntry entry, OnParentStop rule) {
    return new Lineage(
        Optional.of(parent),
        entry.lineage().map(Lineage::root).orElse(parent),
        entry.lineage().map(Lineage::depth).orElse(0) + 1,
        rule);
  }

  /** Whether the child is there already. */
  private static boolean stands(
      Entry found, AgentId child, Map<AgentId, AgentBlueprint> wanted, AgentId parent) {
    if (found == null) {
      return false;
    }
    DirectoryEntry standing = DirectoryEntry.of(found);
    if (!standing.lineage().flatMap(Lineage::parent).equals(Optional.of(parent))) {
      throw AgentException.refused(
          "the name " + child.name() + " is taken by an agent that is no child of " + parent);
    }
    if (!standing.original().equals(wanted.get(child))) {
      throw AgentException.refused(
          parent + " has a child " + child.name() + " with another blueprint");
    }
    return true;
  }

  private void check(AgentId parent, Lineage lineage, int children, int inTree) {
    String bound = null;
    if (lineage.depth() > settings.maxDepth()) {
      bound =
          "depth %d of the tree, colony.agent.children.max-depth is %d"
              .formatted(lineage.depth(), settings.maxDepth());
    } else if (children > settings.max()) {
      bound =
          "%d living children, colony.agent.children.max is %d".formatted(children, settings.max());
    } else if (inTree > settings.maxTree()) {
      bound =
          "%d living agents beneath %s, colony.agent.children.max-tree is %d"
              .formatted(inTree, lineage.root(), settings.maxTree());
    }
    if (bound != null) {
      throw AgentException.refused(parent + " may not spawn: it would come to " + bound);
    }
  }

  /** How many more children an agent may have now; none for one that is not there. */
  public CompletionStage<Integer> room(AgentId parent) {
    return board(parent)
        .read(parent.name())
        .thenCompose(found ->
            found
                .map(entry ->
                    room(parent, lineage(parent, DirectoryEntry.of(entry), OnParentStop.STOP)))
                .orElseGet(() -> CompletableFuture.completedStage(0)));
  }

  private CompletionStage<Integer> room(AgentId parent, Lineage lineage) {
    if (lineage.depth() > settings.maxDepth()) {
      return CompletableFuture.completedStage(0);
    }
    return board(parent)
        .read(DirectoryKeys.tree(lineage.root().name()))
        .thenCombine(
            brood(parent),
            (tree, brood) ->
                Math.max(
                    0,
                    Math.min(
                        settings.max() - brood.living().size(),
                        settings.maxTree() - tree.map(one -> one.value().asInt()).orElse(0))));
  }

  /** The children of an agent; none for one that never had any. */
  public CompletionStage<ChildList> brood(AgentId parent) {
    return board(parent)
        .read(DirectoryKeys.brood(parent.name()))
        .thenApply(found -> brood(found.orElse(null)));
  }

  /** Lets children go on without their parent; changes nothing the second time. */
  public CompletionStage<Void> detach(AgentId parent, List<AgentId> children) {
    if (children.size() > AT_ONCE) {
      return detach(parent, children.subList(0, AT_ONCE))
          .thenCompose(done -> detach(parent, children.subList(AT_ONCE, children.size())));
    }
    String brood = DirectoryKeys.brood(parent.name());
    List<String> keys = new ArrayList<>(List.of(brood));
    children.forEach(child -> keys.add(child.name()));
    return board(parent)
        .transaction(tx ->
            tx.readAll(keys)
                .thenCompose(entries -> {
                  Map<String, Entry> found = byKey(entries);
                  List<CompletionStage<Void>> writes = new ArrayList<>();
                  ChildList left = brood(found.get(brood));
                  for (AgentId child : children) {
                    Optional<ObjectNode> free =
                        Optional.ofNullable(found.get(child.name()))
                            .flatMap(one -> DirectoryEntry.detached(one, parent));
                    if (free.isPresent()) {
                      left = left.detached(child.name());
                      writes.add(
                          tx.write(Write.of(child.name(), free.get()).tags(DirectoryKeys.AGENT)));
                    }
                  }
                  if (!writes.isEmpty()) {
                    writes.add(tx.write(Write.of(brood, left.toJson())));
                  }
                  return all(writes);
                }));
  }

  /**
   * Keeps what an agent makes known of its state. Terminal states are final: whatever comes after
   * one is passed over. With one, the agent ceases to count among the children of its parent, whose
   * inbox is told of it. Repeating it changes nothing.
   *
   * <p>Ends of one colony that come while others are being stored are stored together: the children
   * of one parent change the same list, and thousands that end at once would else contend for it.
   */
  public CompletionStage<Void> announce(AgentId agent, AgentState state, Optional<String> reason) {
    News news = new News(agent, state, reason);
    return state.terminal()
        ? ends.add(DirectoryKeys.scope(agent.tenant(), agent.colony()), news)
        : announce(List.of(news));
  }

  /** What an agent makes known of its state. */
  private record News(AgentId agent, AgentState state, Optional<String> reason) {

    String key() {
      return DirectoryKeys.state(agent.name());
    }

    Write write() {
      return Write.of(key(), AgentStatus.json(state, reason));
    }

    /** Whether it is none where this stands. */
    boolean known(Optional<AgentStatus> standing) {
      return standing
          .filter(status ->
              status.state().terminal()
                  || (status.state() == state && status.reason().equals(reason)))
          .isPresent();
    }
  }

  /** Of one colony; of an agent that is among them twice, what comes first counts. */
  private CompletionStage<Void> announce(List<News> all) {
    Map<AgentId, News> first = new LinkedHashMap<>();
    all.forEach(news -> first.putIfAbsent(news.agent(), news));
    List<String> keys = new ArrayList<>();
    first.forEach((agent, news) -> {
      keys.add(news.key());
      if (news.state().terminal()) {
        keys.add(agent.name());
      }
    });
    return board(all.getFirst().agent())
        .transaction(tx ->
            tx.readAll(keys)
                .thenCompose(entries -> {
                  Map<String, Entry> found = byKey(entries);
                  List<CompletionStage<Void>> writes = new ArrayList<>();
                  Map<News, Lineage> children = new LinkedHashMap<>();
                  first.forEach((agent, news) -> {
                    if (news.known(
                        Optional.ofNullable(found.get(news.key())).map(AgentStatus::of))) {
                      return;
                    }
                    Optional<Lineage> lineage =
                        Optional.ofNullable(found.get(agent.name()))
                            .flatMap(entry -> DirectoryEntry.of(entry).lineage());
                    if (news.state().terminal() && lineage.isPresent()) {
                      children.put(news, lineage.get());
                    } else {
                      writes.add(tx.write(news.write()));
                    }
                  });
                  return children.isEmpty()
                      ? all(writes)
                      : all(writes).thenCompose(done -> bury(tx, children));
                }));
  }

  private CompletionStage<Void> bury(Transaction tx, Map<News, Lineage> children) {
    Map<String, Integer> fewer = new LinkedHashMap<>();
    Set<String> keys = new LinkedHashSet<>();
    children
        .values()
        .forEach(lineage -> {
          fewer.merge(lineage.root().name(), 1, Integer::sum);
          keys.addAll(List.of(DirectoryKeys.tree(lineage.root().name()), lineage.root().name()));
          lineage.parent().ifPresent(parent -> keys.add(DirectoryKeys.brood(parent.name())));
        });
    return tx.readAll(keys)
        .thenCompose(entries -> {
          Map<String, Entry> found = byKey(entries);
          List<CompletionStage<Void>> writes = new ArrayList<>();
          fewer.forEach((root, count) -> {
            String tree = DirectoryKeys.tree(root);
            int left =
                found.containsKey(tree) ? Math.max(0, found.get(tree).value().asInt() - count) : 0;
            writes.add(
                left > 0 || found.containsKey(root)
                    ? tx.write(Write.value(tree, left))
                    : tx.delete(tree));
          });
          Map<String, ChildList> broods = new LinkedHashMap<>();
          children.forEach((news, lineage) -> {
            // Of a parent that was forgotten nothing is begun anew.
            lineage
                .parent()
                .map(parent -> DirectoryKeys.brood(parent.name()))
                .filter(found::containsKey)
                .ifPresent(key ->
                    broods.put(
                        key,
                        broods
                            .getOrDefault(key, brood(found.get(key)))
                            .ended(news.agent().name(), settings.max())));
            writes.add(
                lineage
                    .parent()
                    .map(parent -> tx.send(news.write(), parent.persistenceId()))
                    .orElseGet(() -> tx.write(news.write())));
          });
          broods.forEach((key, brood) -> writes.add(tx.write(Write.of(key, brood.toJson()))));
          return all(writes);
        });
  }

  /**
   * Takes an agent that is at its end out of the directory, with all that is known of it; the
   * second time changes nothing. The number of its tree stays while descendants of it live.
   *
   * @return false, and nothing changes, if it is not at its end, or begins anew meanwhile
   */
  public CompletionStage<Boolean> forget(AgentId agent) {
    String state = DirectoryKeys.state(agent.name());
    String brood = DirectoryKeys.brood(agent.name());
    String tree = DirectoryKeys.tree(agent.name());
    return board(agent)
        .transaction(tx ->
            tx.readAll(List.of(agent.name(), state, brood, tree))
                .thenCompose(entries -> {
                  Map<String, Entry> found = byKey(entries);
                  boolean ended =
                      Optional.ofNullable(found.get(state))
                          .filter(entry -> AgentStatus.of(entry).state().terminal())
                          .isPresent();
                  if (!ended) {
                    return CompletableFuture.completedStage(false);
                  }
                  if (!found.containsKey(tree) || found.get(tree).value().asInt() > 0) {
                    found.remove(tree);
                  }
                  return all(found.keySet().stream().map(tx::delete).toList())
                      .thenApply(done -> true);
                }));
  }

  private static Map<String, Entry> byKey(List<Entry> entries) {
    return entries.stream().collect(Collectors.toMap(Entry::key, Function.identity()));
  }

  private static ChildList brood(Entry found) {
    return found == null ? ChildList.NONE : ChildList.fromJson(found.value());
  }

  private static CompletionStage<Void> all(List<CompletionStage<Void>> writes) {
    return CompletableFuture.allOf(
        writes.stream()
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new));
  }

  private Blackboard board(AgentId agent) {
    return blackboards.open(
        DirectoryKeys.scope(agent.tenant(), agent.colony()), agent.persistenceId());
  }
}
