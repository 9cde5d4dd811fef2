package dev.colony.server.node;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.client.directory.HomeResolver;
import dev.colony.vcm.table.PageTable;

/** Agents bound to pages live in the unit of their pages, others anywhere. */
public final class PageHomes implements HomeResolver {

  private final PageTable table;
  private final HomeResolver others;

  /**
   * @param units how many there are
   */
  public PageHomes(PageTable table, int units) {
    this.table = table;
    this.others = HomeResolver.byHash(units);
  }

  @Override
  public int homeOf(AgentId agent, AgentBlueprint blueprint) {
    return blueprint
        .pages()
        .map(group -> table.snapshot().unit(group))
        .filter(unit -> unit.isPresent())
        .map(unit -> unit.getAsInt())
        .orElseGet(() -> others.homeOf(agent, blueprint));
  }
}
