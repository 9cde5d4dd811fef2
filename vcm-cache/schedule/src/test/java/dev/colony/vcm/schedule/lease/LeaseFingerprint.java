package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.SchedulerView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** What decides about what follows in a {@link LeaseWorld}, as a text. */
record LeaseFingerprint(LeaseWorld world) {

  /** What decides about what happens from here, the same for states that differ in numbers only. */
  String text() {
    List<Long> epochs = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    world
        .authority
        .agents()
        .values()
        .forEach(one -> {
          one.current.ifPresent(lease -> epochs.add(lease.lease.epoch()));
          one.leaving.forEach(lease -> epochs.add(lease.lease.epoch()));
          one.leaving.forEach(lease -> numbers.add(lease.number));
          one.current.ifPresent(lease -> numbers.add(lease.number));
          numbers.add(one.number);
        });
    List<Long> asks = new ArrayList<>();
    world.holders.forEach(holder ->
        holder
            .agents()
            .values()
            .forEach(held -> {
              held.lease.ifPresent(lease -> epochs.add(lease.epoch()));
              asks.add(held.ask);
            }));
    world
        .authority
        .agents()
        .values()
        .forEach(one -> {
          one.waiting.ifPresent(waiting -> asks.add(waiting.ask));
          one.current.ifPresent(lease -> asks.add(lease.ask));
          one.leaving.forEach(lease -> asks.add(lease.ask));
        });
    for (LeaseWorld.Message message : world.network) {
      message
          .report()
          .ifPresent(report -> {
            numbers.add(report.number());
            switch (report.status()) {
              case Report.Asking asking -> asks.add(asking.ask());
              case Report.Running running -> epochs.add(running.lease().epoch());
              case Report.Idle idle -> epochs.add(idle.lease().epoch());
              case Report.Released released -> {}
            }
          });
      message
          .order()
          .ifPresent(order -> {
            switch (order) {
              case LeaseOrder.Granted granted -> {
                epochs.add(granted.lease().epoch());
                asks.add(granted.ask());
              }
              case LeaseOrder.Renewed renewed -> epochs.add(renewed.lease().epoch());
              case LeaseOrder.Recalled recalled -> {
                epochs.add(recalled.lease().epoch());
                asks.add(recalled.ask());
              }
              case LeaseOrder.Ended ended -> epochs.add(ended.lease().epoch());
              case LeaseOrder.Held held -> asks.add(held.ask());
              case LeaseOrder.Tell tell -> {}
            }
          });
    }
    Ranks ranks = new Ranks(rank(epochs), rank(numbers), rank(asks));
    StringBuilder text = new StringBuilder();
    text.append(world.left).append(world.second).append(world.authority.describe(world.now));
    world.authority.agents().values().forEach(agent -> describe(agent, ranks, text));
    text.append('|');
    text.append(SchedulerView.describe(world.scheduler, world.now)).append('|');
    for (LeaseWorld.Agent agent : world.agents) {
      text.append(agent.name).append(agent.holder).append(agent.phase).append(agent.turns);
      text.append(Math.min(world.now - agent.since, LeaseWorld.PATIENCE + LeaseWorld.TERM))
          .append(',');
      text.append(agent.waitsSince < 0 ? -1 : world.now - agent.waitsSince).append(',');
      text.append(agent.stray < 0 ? -1 : world.now - agent.stray).append(';');
    }
    for (LeaseHolder holder : world.holders) {
      text.append('|');
      holder
          .agents()
          .values()
          .forEach(held ->
              text.append(held.agent)
                  .append(
                      held.incarnation - world.agents.get(held.agent.charAt(0) - 'A').incarnation)
                  .append(ranks.of("ask", held.ask))
                  .append(held.asking)
                  .append(held.parked)
                  .append(held.running)
                  .append(held.recalled)
                  .append(held.toWait)
                  .append(held.changed)
                  .append(held.ended)
                  .append(held.lease.map(l -> l.replica() + ranks.of("epoch", l.epoch())))
                  .append(held.lease.isEmpty() ? 0 : held.until - world.now)
                  .append(',')
                  .append(held.turn)
                  .append(',')
                  .append(held.told)
                  .append(',')
                  .append(held.asking ? world.now - held.since : 0)
                  .append(',')
                  .append(Math.min(1, world.now - held.sentAt))
                  .append(
                      held.returnsAt.isPresent()
                          ? Math.max(0, held.returnsAt.getAsDouble() - world.now)
                          : -1)
                  .append(';'));
    }
    // In their order on each way, and in none between ways.
    List<String> messages =
        world.network.stream()
            .sorted(Comparator.comparing(LeaseWorld.Message::way))
            .map(message -> describe(message, ranks))
            .toList();
    return text.append(messages).toString();
  }

  private String describe(LeaseWorld.Message message, Ranks ranks) {
    String text = (world.now - message.at()) + "@";
    if (message.report().isPresent()) {
      Report report = message.report().get();
      text += report.holder() + report.agent() + ranks.of("number", report.number());
      text += (world.now - report.sentAt());
      return text
          + switch (report.status()) {
            case Report.Asking asking ->
                "asks" + ranks.of("ask", asking.ask()) + asking.waitedSeconds() + asking.parked();
            case Report.Running running ->
                "runs"
                    + ranks.of("epoch", running.lease().epoch())
                    + running.turn()
                    + running.prompt().isPresent();
            case Report.Idle idle ->
                "idle"
                    + ranks.of("epoch", idle.lease().epoch())
                    + idle.turn()
                    + idle.prompt().isPresent()
                    + idle.returnsIn();
            case Report.Released released -> "released" + released.ended();
          };
    }
    LeaseOrder.ToHolder order = message.order().orElseThrow();
    text += order.holder() + order.agent();
    return text
        + switch (order) {
          case LeaseOrder.Granted one ->
              "granted"
                  + one.lease().replica()
                  + ranks.of("epoch", one.lease().epoch())
                  + ranks.of("ask", one.ask())
                  + (world.now - one.sentAt());
          case LeaseOrder.Renewed one ->
              "renewed"
                  + ranks.of("epoch", one.lease().epoch())
                  + one.turn()
                  + (world.now - one.sentAt());
          case LeaseOrder.Recalled one ->
              "recalled" + ranks.of("epoch", one.lease().epoch()) + ranks.of("ask", one.ask());
          case LeaseOrder.Ended one -> "ended" + ranks.of("epoch", one.lease().epoch());
          case LeaseOrder.Held one -> "held" + ranks.of("ask", one.ask()) + one.reason();
          case LeaseOrder.Tell one -> "tell";
        };
  }

  private void describe(AgentLeases agent, Ranks ranks, StringBuilder text) {
    double now = world.now;
    text.append(agent.agent).append(ranks.of("number", agent.number)).append('[');
    List<AgentLeases.Granted> leases = new ArrayList<>(agent.leaving);
    agent.current.ifPresent(leases::add);
    for (AgentLeases.Granted lease : leases) {
      text.append(lease.holder)
          .append(lease.lease.replica())
          .append(ranks.of("epoch", lease.lease.epoch()))
          .append(ranks.of("ask", lease.ask))
          .append(ranks.of("number", lease.number))
          .append(lease.until - now)
          .append(lease.told)
          .append(lease.request != 0)
          .append(lease.turn)
          .append(Arrays.toString(lease.deferred));
    }
    agent.waiting.ifPresent(one ->
        text.append(one.holder)
            .append(ranks.of("ask", one.ask))
            .append(now - one.since)
            .append(Math.min(LeaseWorld.TERM, now - one.heard))
            .append(one.heard - one.sentAt)
            .append(one.parked)
            .append(one.request != 0)
            .append(one.replica)
            .append(one.behind.stream().map(id -> ranks.of("epoch", id)).toList()));
    text.append(agent.forgettable() ? now - agent.heard : 0).append(']');
  }

  private static List<Long> rank(List<Long> values) {
    return List.copyOf(new TreeSet<>(values));
  }

  private record Ranks(List<Long> epochs, List<Long> numbers, List<Long> asks) {
    int of(String kind, long value) {
      return switch (kind) {
        case "epoch" -> epochs.indexOf(value);
        case "number" -> numbers.indexOf(value);
        default -> asks.indexOf(value);
      };
    }
  }
}
