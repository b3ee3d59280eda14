"""What the page calls a row of published speeds: its model, its cards and what else sets it apart."""


def _layout(row):
    names = ("tp", "cp", "pp", "ep", "vpp")
    return "".join(f" {name}{row[name]}" for name in names if row.get(name, 1) > 1)


def torchtitan(row):
    kept = f"{row['recompute']}{' compiled' * row['compile']}{' float8' * row['float8']}"
    return f"{row['model']} {row['gpus']}x{row['gpu'][:4]}{_layout(row)} s{row['seq']} b{row['local_batch']} {kept}"


def foundry(row):
    kept = " recomputed" * row["recompute"]
    return f"h{row['hidden']} L{row['layers']} {row['gpus']}x{row['gpu'][:4]} s{row['seq']} b{row['micro_batch']}{kept}"


def simumax(row):
    return f"h{row['hidden']} L{row['layers']}{_layout(row)} s{row['seq']} batch {row['global_batch']}"


def bridge(row):
    return (
        f"{row['model']} {row['gpus']}x{row['gpu'].partition('-')[0]}{_layout(row)} s{row['seq']}"
        f" b{row['micro_batch']} of {row['global_batch']}{' float8' * row['float8']}"
    )


def ultrascale(row):
    return "{model_b}B dp{dp} pp{pp} tp{tp} zero{zero} mbs{mbs} x{grad_acc}".format(**row)
