package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.time.Instant;

/**
 * That a page stays where it is cached.
 *
 * @param holder who has locked it: an agent by its persistent name, or an operator
 * @param until when it ends by itself, exclusive, by the cluster time
 */
public record PageLock(PageId page, String holder, Instant until) {}
