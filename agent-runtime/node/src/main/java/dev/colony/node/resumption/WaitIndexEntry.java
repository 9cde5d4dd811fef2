package dev.colony.node.resumption;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Entry;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is known of a suspended agent.
 *
 * @param until each event of it says after which position
 * @param come which parts have come once and so stay
 * @param rank among those who wait for capacity; empty if it does not
 * @param woken whether what wakes it is in its inbox
 */
record WaitIndexEntry(
    AgentId agent,
    long suspension,
    ResumptionCondition until,
    Set<ResumptionCondition> come,
    OptionalLong rank,
    boolean woken) {

  WaitIndexEntry {
    come = Set.copyOf(come);
  }

  static WaitIndexEntry of(WaitIndexKeys.SuspensionKey waiter, ResumptionCondition until) {
    return new WaitIndexEntry(
        waiter.agent(), waiter.suspension(), until, Set.of(), OptionalLong.empty(), false);
  }

  WaitIndexKeys.SuspensionKey waiter() {
    return new WaitIndexKeys.SuspensionKey(agent, suspension);
  }

  WaitIndexEntry ranked(OptionalLong newRank) {
    return new WaitIndexEntry(agent, suspension, until, come, newRank, woken);
  }

  /** With further parts that have come. */
  WaitIndexEntry came(Set<ResumptionCondition> more) {
    Set<ResumptionCondition> all = new HashSet<>(come);
    all.addAll(more);
    return new WaitIndexEntry(agent, suspension, until, all, rank, woken);
  }

  WaitIndexEntry asWoken() {
    return new WaitIndexEntry(agent, suspension, until, come, rank, true);
  }

  <C extends ResumptionCondition> Stream<C> leaves(Class<C> kind) {
    return until.leaves().filter(kind::isInstance).map(kind::cast).distinct();
  }

  /** With the parts that wait for what has come; empty if none does. */
  Optional<WaitIndexEntry> came(Predicate<ResumptionCondition> part) {
    Set<ResumptionCondition> parts = until.leaves().filter(part).collect(Collectors.toSet());
    return parts.isEmpty() ? Optional.empty() : Optional.of(came(parts));
  }

  /** Whether nothing outside of its own bucket speaks of it. */
  boolean alone() {
    return until
        .leaves()
        .noneMatch(leaf ->
            leaf instanceof ResumptionCondition.ChildrenCompleted
                || leaf instanceof ResumptionCondition.PagesAvailable
                || leaf instanceof ResumptionCondition.Event);
  }

  /** The events that have not come. */
  Stream<ResumptionCondition.Event> missing() {
    return leaves(ResumptionCondition.Event.class).filter(event -> !come.contains(event));
  }

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("agent", agent.persistenceId()).put("suspension", suspension);
    json.set("until", until.toJson());
    ArrayNode parts = json.putArray("come");
    come.forEach(part -> parts.add(part.toJson()));
    rank.ifPresent(number -> json.put("rank", number));
    return json.put("woken", woken);
  }

  /** Reads {@link #toJson} back. */
  static WaitIndexEntry of(Entry entry) {
    JsonNode json = entry.value();
    Set<ResumptionCondition> come = new HashSet<>();
    json.path("come").forEach(part -> come.add(ResumptionCondition.fromJson(part)));
    return new WaitIndexEntry(
        AgentId.parse(json.path("agent").asText()),
        json.path("suspension").asLong(),
        ResumptionCondition.fromJson(json.path("until")),
        come,
        json.has("rank") ? OptionalLong.of(json.path("rank").asLong()) : OptionalLong.empty(),
        json.path("woken").asBoolean());
  }
}
