package dev.colony.inference.gateway;

import dev.colony.inference.routing.ResidencyReport;

/** Hears what a replica holds: all of it, at every change, from one thread at a time. */
@FunctionalInterface
public interface ResidencyListener {

  void resident(ResidencyReport report);
}
