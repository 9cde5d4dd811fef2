package dev.colony.vcm.schedule.workingset;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.Dispatch;

/** A request that has not ended: it waits, or is at its unit's replica. */
final class Request {

  final long number;
  final Unit unit;
  final Ask ask;
  final int outputBlocks;
  final double arrived;

  /** Whether it is the unit's last. */
  final boolean last;

  /** Where it is, once it has left the scheduler. */
  Dispatch dispatch;

  Home home;

  Request(long number, Unit unit, Ask ask, int outputBlocks, double arrived, boolean last) {
    this.number = number;
    this.unit = unit;
    this.ask = ask;
    this.outputBlocks = outputBlocks;
    this.arrived = arrived;
    this.last = last;
  }
}
