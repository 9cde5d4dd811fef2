package dev.colony.vcm.placement;

import dev.colony.vcm.PageGroupId;
import java.util.Optional;

/**
 * Somebody who lives in a unit, and may move to another.
 *
 * @param unit where they live
 * @param pages the group that they live with, if any
 * @param bound whether they live nowhere else than with it
 * @param key spreads those who are otherwise alike
 */
public record Dweller(int unit, Optional<PageGroupId> pages, boolean bound, int key) {}
