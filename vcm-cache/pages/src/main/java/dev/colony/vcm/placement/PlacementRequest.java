package dev.colony.vcm.placement;

import dev.colony.vcm.PageGroupId;
import java.util.Optional;

/**
 * An agent that lives in a unit, and may move to another.
 *
 * @param unit where it lives
 * @param pages the group that it lives with, if any
 * @param bound whether it lives nowhere else than with the group
 * @param key spreads agents that are otherwise alike
 */
public record PlacementRequest(int unit, Optional<PageGroupId> pages, boolean bound, int key) {}
