package dev.colony.library;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.Blueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionType;
import dev.colony.agent.author.AgentCapability;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.AgentTypes;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each type of the taxonomy is an action of an installed capability, or one of policies' own. */
class TaxonomyTest {

  /** Offered by policies that keep plans and read on in what was cut. */
  private static final Set<ActionType> OF_POLICIES =
      EnumSet.of(
          ActionType.PLAN_CREATE,
          ActionType.PLAN_REVISE,
          ActionType.PLAN_BACKTRACK,
          ActionType.CONTEXT_FETCH);

  private static List<ActionDescription> installed() {
    AgentTypes types = AgentTypes.installed();
    return types.names(AgentCapability.class).stream()
        .map(name -> types.find(AgentCapability.class, Blueprint.of(name)))
        .flatMap(type -> CapabilityType.of(type).actions("any", Duration.ofMinutes(1)).stream())
        .toList();
  }

  @Test
  void eachTypeHasAnExecutor() {
    Set<ActionType> executed =
        installed().stream()
            .map(action -> ActionType.of(action.key()))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(ActionType.class)));
    assertThat(
            Arrays.stream(ActionType.values()).filter(type -> !OF_POLICIES.contains(type)).toList())
        .allSatisfy(type -> assertThat(executed).contains(type));
  }

  @Test
  void plannersAreToldWhatEachActionDoes() {
    assertThat(installed())
        .filteredOn(action -> ActionType.of(action.key()) != ActionType.CUSTOM)
        .hasSizeGreaterThanOrEqualTo(ActionType.values().length - OF_POLICIES.size() - 1)
        .allSatisfy(action -> assertThat(action.summary()).isNotBlank());
  }
}
