dependencies {
    api(project(":inference-gateway:gateway"))
    api(project(":vcm-cache:pages"))
    api(libs.jtokkit)
    api(libs.netty.codec.http)
    api(libs.lucene.analysis.common)
    api(libs.msgpack.core)
    api(libs.jeromq)
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
