package dev.colony.vcm.grouping;

import dev.colony.vcm.VirtualContextPage;

/** A page with what is needed to tell how it is tied to its neighbours. */
record PackedPage(VirtualContextPage page, FilePlace first, FilePlace last) {}
