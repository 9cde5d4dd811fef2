package dev.colony.agent.entity;

import com.typesafe.config.Config;
import dev.colony.agent.resumption.BlackboardResumptions;
import dev.colony.agent.resumption.ResumptionSettings;
import dev.colony.agent.resumption.RoomOrder;
import dev.colony.blackboard.Blackboards;
import java.time.InstantSource;

/** Where tests' suspended agents wait: as a node has it, without pages. */
public final class Waiting {

  private Waiting() {}

  public static BlackboardResumptions on(Blackboards boards, Config config) {
    return new BlackboardResumptions(
        boards,
        ResumptionSettings.fromConfig(config),
        page -> false,
        RoomOrder.BY_AGE,
        InstantSource.system(),
        time -> {});
  }
}
