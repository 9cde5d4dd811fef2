package dev.colony.client.directory;

import dev.colony.agent.AgentId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent and those that it has spawned.
 *
 * @param children in the order of their names
 */
public record AgentTree(ListedAgent agent, List<AgentTree> children) {

  public AgentTree {
    children = List.copyOf(children);
  }

  /**
   * The trees of some agents. An agent whose parent is not among them stands by itself, as does one
   * that was detached from it.
   */
  static List<AgentTree> of(Collection<ListedAgent> agents) {
    Map<AgentId, List<ListedAgent>> byParent = new LinkedHashMap<>();
    agents.forEach(one -> byParent.put(one.id(), new ArrayList<>()));
    List<ListedAgent> roots = new ArrayList<>();
    for (ListedAgent one : agents) {
      Optional<AgentId> parent = one.entry().lineage().flatMap(Lineage::parent);
      parent.map(byParent::get).orElse(roots).add(one);
    }
    return trees(roots, byParent);
  }

  private static List<AgentTree> trees(
      List<ListedAgent> agents, Map<AgentId, List<ListedAgent>> byParent) {
    return agents.stream()
        .map(one -> new AgentTree(one, trees(byParent.get(one.id()), byParent)))
        .toList();
  }
}
