package dev.colony.client;

import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import java.util.Optional;

/**
 * How a run was found when it was asked for or attached to.
 *
 * @param request the position of its request; empty for one that no caller has asked for
 * @param result its result, if it was there already
 */
record RunOrigin(Optional<Position> request, Optional<Entry> result) {}
